import { limits } from '../protocol/contract.js'

/** The largest length of all parts together that can be an answer, in UTF-16 units, which have at most three bytes each. */
const longest = limits.maxIntercomTextBytes / 3

/** Matches the text of one call: so many code points, which have at most four bytes each. */
const nextPart = new RegExp(`^.{1,${limits.maxIntercomTextBytes / 4}}`, 'su')

/** Sends the parts of an answer: one call at a time, in order; parts that are added meanwhile go with the next call. */
export class Parts {
  #whole = ''
  #waiting = ''
  #sending: Promise<void> | undefined

  constructor(readonly send: (text: string) => Promise<void>) {}

  /** All parts together; empty if they are longer than an answer may be. */
  get whole(): string {
    return this.#whole.length > longest ? '' : this.#whole
  }

  /** Sends a part. The promise resolves when the part was sent, and need not be awaited. */
  add(text: string): Promise<void> {
    if (this.#whole.length <= longest) this.#whole += text
    this.#waiting += text
    this.#sending ??= this.#drain()
    // A program may not await the promise: its rejection must not end the program; `sent` rejects with it.
    // An async function would return another promise, whose rejection would not be handled.
    this.#sending.catch(() => undefined)
    return this.#sending
  }

  /** Waits until every part was sent, and rejects if one could not be sent. */
  async sent(): Promise<void> {
    await this.#sending
  }

  async #drain(): Promise<void> {
    while (this.#waiting !== '') {
      const [text = ''] = nextPart.exec(this.#waiting) ?? []
      this.#waiting = this.#waiting.slice(text.length)
      await this.send(text)
    }
    this.#sending = undefined
  }
}
