import { longestTimer, pause } from '../http/wait.js'
import { OptionError } from '../protocol/errors.js'

/** Keeps a program running while its agents stay on the map. */
export class Hold {
  readonly #life: AbortSignal

  /** @internal */
  constructor(life: AbortSignal) {
    this.#life = life
  }

  /**
   * Waits for a time in seconds; a value that is not a number is an `OptionError`. Rejects with a `ClosedError` if the world
   * is closed first, and with the signal's reason if the signal ends first.
   */
  async for(seconds: number, signal?: AbortSignal): Promise<void> {
    if (typeof seconds !== 'number' || Number.isNaN(seconds)) throw new OptionError('hold().for takes a number of seconds, such as 3600')
    const ends = signal === undefined ? this.#life : AbortSignal.any([this.#life, signal])
    for (let left = seconds * 1000; left > 0; left -= longestTimer) await pause(Math.min(left, longestTimer), ends)
  }

  /** Waits until the world is closed, and then rejects with a `ClosedError`, or until the signal ends, and then rejects with its reason. */
  async forever(signal?: AbortSignal): Promise<never> {
    await this.for(Infinity, signal)
    throw new Error('a wait without an end has ended')
  }
}
