/**
 * How much of a frame may be spent on new pictures, in milliseconds. A frame has 16;
 * the town should finish within 4, and drawing existing pictures takes about 1.
 */
const SHARE = 2
/** The number of pictures that any frame may create, so that they appear soon on a slow machine, too. */
const LEAST = 3

/** The limit of a frame for creating pictures: others wait for the next frame. */
export class Allowance {
  #until = Infinity
  #made = 0
  /** Whether something waits for the next frame. */
  behind = false

  /** Starts a frame at the current time of {@link now}. */
  begin(): void {
    this.#until = this.now() + SHARE
    this.#made = 0
    this.behind = false
  }

  /** @param now A clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Reports whether one more picture may be created now. */
  take(): boolean {
    if (this.#made >= LEAST && this.now() >= this.#until) {
      this.behind = true
      return false
    }
    this.#made += 1
    return true
  }
}
