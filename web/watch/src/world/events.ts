import { eventTime, type WorldEvent } from '@playctl/sdk'

/** An event of the host's stream, with its time. */
export interface TimedEvent extends WorldEvent {
  /** When it happened, in milliseconds since 1970; when it arrived if it has no time. */
  readonly at: number
  /** Whether it happened before this page was opened. */
  readonly past: boolean
}

/** Returns the times of past events; an event without a time gets the time of the event before it, or else of the next one. */
export function timesOf(events: readonly WorldEvent[], otherwise: number): readonly number[] {
  let last = events.map(eventTime).find((time) => time !== undefined) ?? otherwise
  return events.map((event) => { last = eventTime(event) ?? last; return last })
}

/**
 * The part of the log from before the page was opened: it is listed, but neither
 * played on the map nor announced. Another world starts another log, which has no
 * past.
 */
export class Past {
  private sid: string | undefined

  /** @param until The last position of the log when the page was opened. */
  constructor(private until: number) {}

  /** Reports whether an event is past; an event without a position never is. */
  holds(seq: number | undefined): boolean {
    return seq !== undefined && seq <= this.until
  }

  /** Notes the current session of the world. */
  enter(sid: string): void {
    if (this.sid !== undefined && this.sid !== sid) this.until = 0
    this.sid = sid
  }

  /** Notes the position from which the log continues; if it is an earlier one, the log is another. */
  resume(seq: number): void {
    this.until = Math.min(this.until, seq)
  }
}
