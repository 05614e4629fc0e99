/** Milliseconds between frames of what happens by itself; the browser's next frame after it is the 30th of a second. */
const FRAME = 1000 / 30 - 6

/** Says when the next frame is drawn: never more than one is waited for. */
export class Pace {
  #frame = 0
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  /** @param draw Draws a frame. */
  constructor(private readonly draw: () => void) {}

  /** Draws with the browser's next frame: for what a person does. */
  wake(): void {
    if (this.#frame === 0 && !this.#ended) this.#frame = requestAnimationFrame(() => { this.draw() })
  }

  /** Draws soon: what happens by itself is drawn 30 times a second at most. */
  soon(): void {
    if (this.#frame !== 0 || this.#ended) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.wake() }, this.#last + FRAME - performance.now())
  }

  /** Draws after so many milliseconds, unless something else draws before. */
  after(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.wake() }, ms)
  }

  /** A frame is drawn now: no other is waited for. */
  begin(now: number): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.#frame = 0
    this.#last = now
  }

  /** Draws no more. */
  end(): void {
    this.#ended = true
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
  }
}
