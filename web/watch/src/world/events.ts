import { eventTime, type WorldEvent } from '@playctl/sdk'

/** An event of the host's stream as the page takes it. */
export interface Happening extends WorldEvent {
  /** When it happened, in milliseconds since 1970, or came where it says no time. */
  readonly at: number
  /** It happened before this page was opened. */
  readonly past: boolean
}

/** When events of the past happened; one without a time came with the one before it, or else with the next. */
export function timesOf(events: readonly WorldEvent[], otherwise: number): readonly number[] {
  let last = events.map(eventTime).find((time) => time !== undefined) ?? otherwise
  return events.map((event) => { last = eventTime(event) ?? last; return last })
}

/**
 * What of the log is from before the page was opened: it is listed, but neither
 * played on the map nor announced. Another world begins another log, of which
 * nothing is past.
 */
export class Past {
  private sid: string | undefined

  /** @param until The last position of the log when the page was opened. */
  constructor(private until: number) {}

  /** Whether an event is past; one without a position never is. */
  holds(seq: number | undefined): boolean {
    return seq !== undefined && seq <= this.until
  }

  /** Takes the session that the world is in now. */
  enter(sid: string): void {
    if (this.sid !== undefined && this.sid !== sid) this.until = 0
    this.sid = sid
  }

  /** Takes a position from which the log goes on: where it is an earlier one, the log is another. */
  resume(seq: number): void {
    this.until = Math.min(this.until, seq)
  }
}
