import { hasCode, limits, PlayError } from '@playctl/sdk'
import type { Point } from '../town/geometry.js'

/** A host accepts a change of a person's row at most once in this many milliseconds. */
export const MIN_INTERVAL = 1000 * limits.minPersonSeconds
/** The delay before a failed request is repeated, in milliseconds. */
const AGAIN = 3000
/** After this many refusals in a row for excessive rate, the trouble is reported. */
const PATIENCE = 3

/** The host's answer: the cell of the row, and the term of its lease. */
export interface Answer {
  readonly cell: Point
  readonly leaseMs: number
}

/** What the sender reports. */
export interface SenderReports {
  /** The host's answer; the cell may differ from the requested one. */
  readonly onAnswer: (asked: Point, answer: Answer) => void
  /** The host refuses the person: nothing is sent any more. */
  readonly onRefused: (error: unknown) => void
  /** A temporary problem; undefined when it is over. */
  readonly onTrouble: (error: unknown) => void
}

/**
 * Sends the cell of a person to the host: immediately if allowed, else as soon as possible, always the last
 * cell, and again before the lease expires. At most one request is in progress.
 */
export class CellSender {
  /** The cell that the host should have. */
  #wanted: Point
  /** The cell that the host has. */
  #known: Point
  #changed: number
  #leaseMs: number
  #sending = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #hasty = 0
  #ended = false

  /**
   * @param first The host's answer when the person entered.
   * @param send Sends the request.
   */
  constructor(first: Answer, private readonly send: (cell: Point) => Promise<Answer>, private readonly reports: SenderReports) {
    this.#wanted = first.cell
    this.#known = first.cell
    this.#leaseMs = first.leaseMs
    this.#changed = Date.now()
    this.#wait()
  }

  /** The last cell that the host stated. */
  get known(): Point { return this.#known }

  /** Sets the current cell of the person. */
  put(cell: Point): void {
    this.#wanted = cell
    if (!this.#sending) this.#wait()
  }

  /** Applies a cell of the row that this page did not request, for example from another page of the browser; false if a change by this page is pending. */
  moved(cell: Point): boolean {
    if (this.#sending || !same(this.#wanted, this.#known)) return false
    this.#wanted = cell
    this.#known = cell
    return true
  }

  /** Renews the lease, for example after the page was hidden. */
  renew(): void {
    if (!this.#sending && !this.#ended) void this.#go()
  }

  /** Stops sending. */
  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  /** Waits for the next request: for a change until it is allowed, else for a third of the lease. */
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
