/**
 * Milliseconds of a frame that may go into new pictures. A frame has 16; the
 * town wants to be done within 4, and drawing what is there takes about 1.
 */
const SHARE = 2
/** Pictures that any frame may make, so that on a slow machine they come soon, too. */
const LEAST = 3

/** What a frame may spend on pictures that do not exist yet: the others wait for the next one. */
export class Allowance {
  #until = Infinity
  #made = 0
  /** Whether something waits for the next frame. */
  behind = false

  /** Begins a frame at a time of {@link now}. */
  begin(): void {
    this.#until = this.now() + SHARE
    this.#made = 0
    this.behind = false
  }

  /** @param now A clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether one more picture may be made now. */
  take(): boolean {
    if (this.#made >= LEAST && this.now() >= this.#until) {
      this.behind = true
      return false
    }
    this.#made += 1
    return true
  }
}
