import { eventTime, type WorldEvent } from '@playctl/sdk'

/** Events older than this, in milliseconds, are not played on the map. */
const recent = 15_000

/**
 * Distinguishes events that just happened from events missed while the connection was lost.
 * Times of events are by the host's clock, which may differ from the clock of this machine: the
 * current time is the time of the newest event, plus the time since its arrival.
 */
export class Recent {
  /** How far the host's clock is ahead of this one, less the transmission time of events. */
  #ahead = -Infinity

  /** @param clock A monotonic clock in milliseconds. */
  constructor(private readonly clock = (): number => performance.now()) {}

  /** Processes an event, and reports whether it just happened; an event without a time did. */
  take(event: WorldEvent): boolean {
    const at = eventTime(event)
    if (at === undefined) return true
    const here = this.clock()
    this.#ahead = Math.max(this.#ahead, at - here)
    return here + this.#ahead - at < recent
  }
}
