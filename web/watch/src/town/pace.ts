/** Milliseconds between frames of animations; with the browser's next frame after it, 30 frames a second. */
const FRAME = 1000 / 30 - 6

/** Decides when the next frame is drawn: at most one is scheduled. */
export class Pace {
  #frame = 0
  #last = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #ended = false

  /** @param draw Draws a frame. */
  constructor(private readonly draw: () => void) {}

  /** Draws with the browser's next frame: for actions of the person. */
  wake(): void {
    if (this.#frame === 0 && !this.#ended) this.#frame = requestAnimationFrame(() => { this.draw() })
  }

  /** Draws soon: animations are drawn at most 30 times a second. */
  soon(): void {
    if (this.#frame !== 0 || this.#ended) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.wake() }, this.#last + FRAME - performance.now())
  }

  /** Draws after this delay in milliseconds, unless another frame is drawn before. */
  after(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => { this.wake() }, ms)
  }

  /** Notes that a frame is drawn now, and cancels a scheduled one. */
  begin(now: number): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.#frame = 0
    this.#last = now
  }

  /** Stops drawing. */
  end(): void {
    this.#ended = true
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
  }
}
