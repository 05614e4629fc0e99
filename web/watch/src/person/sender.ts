import { hasCode, PlayError } from '@playctl/sdk'
import type { Point } from '../town/geometry.js'

/** A host takes a change of a person's row at most once in so many milliseconds. */
export const MIN_INTERVAL = 2000
/** What could not be sent is sent again after so many milliseconds. */
const AGAIN = 3000
/** So many refusals in a row for being too fast are said. */
const PATIENCE = 3

/** What a host answers: where the row is now, and how long it stays without another word. */
export interface Answer {
  readonly cell: Point
  readonly leaseMs: number
}

/** What the sender reports. */
export interface SenderReports {
  /** The row is where the host says; where it took another cell than the one that was asked for, this is another. */
  readonly onAnswer: (asked: Point, answer: Answer) => void
  /** The host refuses the person: nothing is sent any more. */
  readonly onRefused: (error: unknown) => void
  /** Something is in the way for now; undefined when it is over. */
  readonly onTrouble: (error: unknown) => void
}

/**
 * Sends the cell of a person to the host: at once where that is allowed, else as soon as it is, always the last
 * cell, and again in time before the lease ends. One request is under way at a time.
 */
export class CellSender {
  /** The cell that the host is to know. */
  #wanted: Point
  /** The cell that it knows. */
  #known: Point
  #changed: number
  #leaseMs: number
  #sending = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasty = 0
  #ended = false

  /**
   * @param first What the host answered when the person came.
   * @param send Makes the request.
   */
  constructor(first: Answer, private readonly send: (cell: Point) => Promise<Answer>, private readonly reports: SenderReports) {
    this.#wanted = first.cell
    this.#known = first.cell
    this.#leaseMs = first.leaseMs
    this.#changed = Date.now()
    this.#wait()
  }

  /** Where the host last said that the person is. */
  get known(): Point { return this.#known }

  /** The person stands on a cell now. */
  put(cell: Point): void {
    this.#wanted = cell
    if (!this.#sending) this.#wait()
  }

  /** Takes the cell of a row that this page did not ask for, such as another page of the browser; false where a change of its own is on its way. */
  moved(cell: Point): boolean {
    if (this.#sending || !same(this.#wanted, this.#known)) return false
    this.#wanted = cell
    this.#known = cell
    return true
  }

  /** Says again that the person is there, as after the page was hidden. */
  renew(): void {
    if (!this.#sending && !this.#ended) void this.#go()
  }

  /** Brings nothing any more. */
  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  /** Waits until the next request is due: for a change until it is allowed, else until a third of the lease is over. */
  #wait(ms = same(this.#wanted, this.#known) ? this.#leaseMs / 3 : this.#changed + MIN_INTERVAL - Date.now()): void {
    clearTimeout(this.#timer)
    if (!this.#ended) this.#timer = setTimeout(() => { void this.#go() }, Math.max(ms, 0))
  }

  async #go(): Promise<void> {
    const asked = this.#wanted
    const change = !same(asked, this.#known)
    if (change && Date.now() < this.#changed + MIN_INTERVAL) { this.#wait(); return }
    clearTimeout(this.#timer)
    this.#sending = true
    try {
      const answer = await this.send(asked)
      this.#sending = false
      if (this.#ended) return
      if (change) this.#changed = Date.now()
      if (same(this.#wanted, asked)) this.#wanted = answer.cell
      this.#known = answer.cell
      this.#leaseMs = answer.leaseMs
      this.#hasty = 0
      this.reports.onTrouble(undefined)
      this.reports.onAnswer(asked, answer)
      this.#wait()
    } catch (cause) {
      this.#sending = false
      if (!this.#ended) this.#failed(cause)
    }
  }

  #failed(cause: unknown): void {
    const hasty = hasCode(cause, 'rate_limited')
    const passing = !(cause instanceof PlayError) || cause.status >= 500
    if (!hasty && !passing) {
      this.end()
      this.reports.onRefused(cause)
      return
    }
    this.#hasty = hasty ? this.#hasty + 1 : 0
    if (passing || this.#hasty >= PATIENCE) this.reports.onTrouble(cause)
    this.#wait(hasty ? Math.max(MIN_INTERVAL, cause.retryAfterMs) : AGAIN)
  }
}

function same(a: Point, b: Point): boolean {
  return a.x === b.x && a.y === b.y
}
