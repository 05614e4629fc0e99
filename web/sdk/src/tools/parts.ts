import { limits } from '../protocol/contract.js'

/** How long all parts together may be to be an answer, in UTF-16 units, which have at most three bytes each. */
const longest = limits.maxIntercomTextBytes / 3

/** The parts of an answer on their way: one call at a time, in order, and what comes meanwhile goes with the next. */
export class Parts {
  #whole = ''
  #waiting = ''
  #sending: Promise<void> | undefined

  constructor(readonly send: (text: string) => Promise<void>) {}

  /** All parts together, as far as an answer may be long; empty if they are longer. */
  get whole(): string {
    return this.#whole.length > longest ? '' : this.#whole
  }

  /** Sends a part. It resolves when the part was sent, and need not be awaited. */
  add(text: string): Promise<void> {
    if (this.#whole.length <= longest) this.#whole += text
    this.#waiting += text
    this.#sending ??= this.#drain()
    // Who does not wait for a part must not have its failure thrown at the whole program: `sent` rejects with it.
    // An async function would give another promise, which nobody catches.
    this.#sending.catch(() => undefined)
    return this.#sending
  }

  /** Waits until every part was sent, and rejects if one could not be. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #drain(): Promise<void> {
    while (this.#waiting !== '') {
      const text = this.#waiting
      this.#waiting = ''
      await this.send(text)
    }
    this.#sending = undefined
  }
}
