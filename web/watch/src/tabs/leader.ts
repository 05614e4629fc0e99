import { Backlog } from './backlog.js'
import { blocksOf, type Block } from './blocks.js'
import { endOf, type Answer, type Call, type OpenWire, type Want, type Wire } from './wire.js'

/** The most tabs that the leader remembers; one that is forgotten asks again. */
const mostTabs = 64

/** Returns the name of the channel of a tab's answers, and of the channel of the questions to a leader. */
export const answersTo = (group: string, id: string): string => `${group} to ${id}`
export const questionsTo = (group: string, id: string): string => `${group} ask ${id}`

/** Reports whether the first leader gives way to the second: to the later one, and of two at once to the better one. */
export function givesWay(mine: { readonly term: number, readonly rank: string }, other: { readonly term: number, readonly rank: string }): boolean {
  return other.term > mine.term || (other.term === mine.term && other.rank < mine.rank)
}

/**
 * Holds the one stream of a group of tabs, this one included, and answers what they ask for: each gets the next
 * events when it has taken those before, so that nothing waits in a tab that is slow or frozen.
 */
export class Leader {
  readonly #ending = new AbortController()
  readonly #backlog = new Backlog()
  readonly #waiting = new Map<string, Want>()
  readonly #answers = new Map<string, Wire>()
  readonly #calls: Wire
  readonly #questions: Wire
  /** Whether the host has stated the position at which the stream begins. */
  #open = false

  /** @param request Requests the stream. */
  constructor(
    readonly openWire: OpenWire, readonly group: string, readonly id: string, readonly rank: string, public term: number,
    readonly request: (signal: AbortSignal) => Promise<Response>,
  ) {
    this.#calls = openWire(group, (call: Call) => { this.#hear(call) })
    this.#questions = openWire(questionsTo(group, id), (want: Want) => { this.#answer(want) })
  }

  /** Leads until close, or until the stream or its turn ends; returns the host's refusal if there is no stream. */
  async run(): Promise<Response | undefined> {
    this.#announce()
    let farewell: Call = { say: 'bye', by: this.id }
    try {
      const response = await this.request(this.#ending.signal)
      if (response.status !== 200 || response.body === null) return response
      let before = ''
      for await (const block of blocksOf(response.body)) {
        if (!this.#open) before += block.text
        this.#take(block)
      }
      farewell = endOf(this.id, undefined, this.#open ? '' : before)
    } catch (error) {
      if (!this.#ending.signal.aborted) farewell = endOf(this.id, error as Error)
    } finally {
      // The caller learns of a refusal before the others try for themselves.
      queueMicrotask(() => { this.#leave(farewell) })
    }
    return undefined
  }

  /** Ends the stream; another tab then leads. */
  close(): void {
    this.#ending.abort()
    this.#leave({ say: 'bye', by: this.id })
  }

  #leave(farewell: Call): void {
    if (this.#left) return
    this.#left = true
    this.#calls.post(farewell)
    for (const wire of [this.#calls, this.#questions, ...this.#answers.values()]) wire.close()
  }

  #left = false

  #announce(): void {
    this.#calls.post({ say: 'lead', by: this.id, rank: this.rank, term: this.term })
  }

  #hear(call: Call): void {
    if (this.#left || call.by === this.id) return
    if (call.say === 'claim') {
      this.term = Math.max(this.term, call.term)
      this.#announce()
    } else if (call.say === 'lead') {
      if (givesWay(this, call)) this.close()
      else this.#announce()
    }
  }

  #take(block: Block): void {
    const { seq, is } = block
    if (seq === undefined) {
      // A comment shows that the connection lives, and a tab that is busy needs no sign of that.
      if (this.#open) for (const want of this.#waiting.values()) this.#send(want, { is: 'events', turn: want.turn, text: block.text, seq: want.after ?? this.#backlog.last })
      return
    }
    // A tab behind a restart asks the host itself, which tells it why the log does not continue.
    if (!this.#open || is === 'restart') this.#backlog.begin(seq)
    else if (is === 'event') this.#backlog.add(block, seq)
    this.#open = true
    for (const want of [...this.#waiting.values()]) this.#answer(want, false)
  }

  /** Answers with events if there are any; otherwise the tab waits, and learns that somebody leads. */
  #answer(want: Want, told = true): void {
    if (this.#left) return
    const { turn, after } = want
    const next = !this.#open ? undefined : after === undefined ? { text: '', seq: this.#backlog.last } : this.#backlog.after(after)
    if (this.#open && next === undefined) {
      this.#send(want, { is: 'gone', turn, from: this.#backlog.from })
    } else if (next !== undefined && (next.text !== '' || after === undefined)) {
      this.#send(want, { is: 'events', turn, ...next })
    } else {
      if (this.#waiting.size >= mostTabs) this.#waiting.clear()
      this.#waiting.set(want.by, want)
      if (told) this.#post(want.by, { is: 'here', turn, open: this.#open })
    }
  }

  #send(want: Want, answer: Answer): void {
    this.#waiting.delete(want.by)
    this.#post(want.by, answer)
  }

  #post(to: string, answer: Answer): void {
    let wire = this.#answers.get(to)
    if (wire === undefined) {
      if (this.#answers.size >= mostTabs) {
        for (const each of this.#answers.values()) each.close()
        this.#answers.clear()
      }
      wire = this.openWire(answersTo(this.group, to))
      this.#answers.set(to, wire)
    }
    wire.post(answer)
  }
}
