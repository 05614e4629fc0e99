import { eventTime, type WorldEvent } from '@playctl/sdk'

/** What happened longer ago than this, in milliseconds, is not played on the map. */
const recent = 15_000

/**
 * Distinguishes what just happened from what was missed while the connection was lost. Times of
 * events are the host's, and the clock of this machine may differ from its own: now is
 * what the newest event said, and what passed here since it came.
 */
export class Recent {
  /** How far the host's clock is ahead of this one; less by the time that events took to come. */
  #ahead = -Infinity

  /** @param clock A clock in milliseconds that nobody sets. */
  constructor(private readonly clock = (): number => performance.now()) {}

  /** Takes an event, and reports whether it just happened; one without a time did. */
  take(event: WorldEvent): boolean {
    const at = eventTime(event)
    if (at === undefined) return true
    const here = this.clock()
    this.#ahead = Math.max(this.#ahead, at - here)
    return here + this.#ahead - at < recent
  }
}
