import { pause } from '../http/wait.js'

/** Keeps a program going while its agents stay on the map. */
export class Hold {
  readonly #life: AbortSignal

  /** @internal */
  constructor(life: AbortSignal) {
    this.#life = life
  }

  /** Waits for a time in seconds. Rejects with a `ClosedError` when the world is closed first. */
  async for(seconds: number): Promise<void> {
    // A timer's own limit is 2^31 - 1 ms, about 24 days.
    const longest = 2 ** 31 - 1
    for (let left = seconds * 1000; left > 0; left -= longest) await pause(Math.min(left, longest), this.#life)
  }
}
