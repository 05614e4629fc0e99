import type { Block } from './blocks.js'

/** The bounds of what is kept for tabs that are behind: a new tab asks for its last 200 events. */
const mostBlocks = 2000
const mostChars = 4 << 20
/** How much one tab gets at once, in characters: at least a block. */
const mostAtOnce = 256 << 10

/** The last events of a stream, so that other tabs can begin where they are. */
export class Backlog {
  readonly #blocks: { readonly text: string, readonly seq: number }[] = []
  #chars = 0
  #from = 0
  #last = 0

  /** The position after which it has every event. */
  get from(): number { return this.#from }

  /** The position of the last event. */
  get last(): number { return this.#last }

  /** Drops everything: the events after this position come next. */
  begin(seq: number): void {
    this.#blocks.length = 0
    this.#chars = 0
    this.#from = this.#last = seq
  }

  add({ text }: Block, seq: number): void {
    this.#blocks.push({ text, seq })
    this.#chars += text.length
    this.#last = seq
    while (this.#blocks.length > mostBlocks || this.#chars > mostChars) {
      const first = this.#blocks.shift()
      if (first === undefined) return
      this.#chars -= first.text.length
      this.#from = first.seq
    }
  }

  /** Returns the next events after a position, with the position of the last of them; undefined if some of them are not kept. */
  after(position: number): { readonly text: string, readonly seq: number } | undefined {
    if (position < this.#from || position > this.#last) return undefined
    let first = this.#blocks.length
    while (first > 0 && (this.#blocks[first - 1]?.seq ?? 0) > position) first -= 1
    let text = ''
    let seq = position
    for (const block of this.#blocks.slice(first)) {
      if (text !== '' && text.length + block.text.length > mostAtOnce) break
      text += block.text
      seq = block.seq
    }
    return { text, seq }
  }
}
