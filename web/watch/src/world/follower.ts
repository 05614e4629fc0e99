import {
  PlayError, WentBackError, eventTime, hasCode, oldestPosition, pastEvents, subscribeWorld,
  type Verification, type WorldClient, type WorldEvent, type WorldSnapshot, type WorldSubscription,
} from '@playctl/sdk'
import { Past, timesOf, type TimedEvent } from './events.js'
import { firstLink, nextLink, type Link } from './link.js'
import { reconnect, silenceMs } from './reconnect.js'

/** What a follower reports. */
export interface FollowerReports {
  /** Called with an event before the first one that is shown. */
  readonly onBefore: (event: WorldEvent) => void
  readonly onEvent: (event: TimedEvent) => void
  readonly onWorld: (snapshot: WorldSnapshot) => void
  readonly onVerification: (verification: Verification) => void
  /** The events so far are not all events that the host stores of this session. */
  readonly onPast: () => void
  /** The copy was verified; `events` is the number of events, not from the past, that were verified with it. */
  readonly onProved: (events: 0 | 1) => void
  readonly onLink: (link: Link) => void
  /** The host went back to an earlier state: what was verified before no longer holds. */
  readonly onWentBack: () => void
  /** The cookie is no longer valid: asks for another one. */
  readonly onRefused: () => Promise<Renewal>
}

/** The result of asking for access after a refusal; if it is unknown, the follower retries as after a lost connection. */
export type Renewal = 'renewed' | 'ended' | 'unknown'

/** The number of events from before the page was opened that are requested, and of each page of earlier ones. */
const history = 200

/**
 * Follows the world by the client's verified subscription, and reports the state of
 * the connection that the page shows.
 */
export class Follower {
  private link: Link = firstLink
  private subscription: WorldSubscription | undefined
  private readonly past: Past
  private lastTime: number | undefined
  private seen = false
  /** The position before the first events, and whether the host has none before it. */
  private after: number
  whole: boolean
  private readonly ending = new AbortController()

  /** @param seq The position of the log when the page was opened. */
  constructor(private readonly client: WorldClient, private readonly seq: number, private readonly reports: FollowerReports) {
    this.past = new Past(seq)
    // One event more than is shown: it tells how many leaves there were before the first one.
    this.after = Math.max(0, seq - history - 1)
    this.whole = this.after === 0
  }

  /** Follows the world until close, or until access has ended. */
  async run(): Promise<void> {
    while (!this.ending.signal.aborted) {
      this.subscription = this.subscribe()
      await this.subscription.done
    }
  }

  private subscribe(): WorldSubscription {
    return subscribeWorld(this.client, {
      after: this.after,
      reconnect,
      silenceMs,
      signal: this.ending.signal,
      onEvent: (event) => { this.take(event) },
      onSnapshot: ({ snapshot, verification }) => {
        this.past.enter(snapshot.sid)
        this.reports.onWorld(snapshot)
        this.reports.onVerification(verification)
        if (verification === 'verified') this.reports.onProved(0)
      },
      onChecked: (event, verification) => { if (verification === 'verified') this.reports.onProved(this.past.holds(event.seq) ? 0 : 1) },
      onState: (state) => {
        this.reports.onVerification(state.verification)
        if (!this.ending.signal.aborted) this.move(nextLink(this.link, state, Date.now()))
      },
      onError: (error) => { void this.failed(error) },
    })
  }

  /** Ends the wait for the next attempt; with `force`, reconnects even if no loss of the connection was found yet. */
  retry(force = false): void {
    this.subscription?.reconnect(force)
  }

  /** Reads the events before an event; `first` means that there are no earlier ones. */
  async before(seq: number): Promise<{ events: readonly TimedEvent[], first: boolean }> {
    const { events, first } = await pastEvents(this.client, { before: seq, limit: history + 1, signal: this.ending.signal })
    const times = timesOf(events, Date.now())
    return { events: events.map((event, place) => ({ ...event, at: times[place] ?? 0, past: true })), first }
  }

  /** Starts again at the beginning of the host's log, if the host cannot continue from the requested position. */
  private async beginLater(): Promise<void> {
    const subscription = this.subscription
    try {
      const oldest = await oldestPosition(this.client, this.after + 1, this.seq, this.ending.signal)
      if (this.seen) {
        this.reports.onPast()
      } else if (oldest < this.seq) {
        this.after = oldest
        this.whole = true
        await subscription?.close()
      }
    } catch {
      // Without the past, the page shows the events from now on.
    }
  }

  close(): void {
    this.ending.abort()
  }

  /** Handles an error: checks whether access has ended, or the host went back. */
  private async failed(error: Error): Promise<void> {
    if (error instanceof WentBackError) this.reports.onWentBack()
    if (!(error instanceof PlayError && (error.status === 401 || hasCode(error, 'forbidden')))) return
    const renewal = await this.reports.onRefused()
    if (renewal === 'renewed') {
      this.retry()
    } else if (renewal === 'ended') {
      this.move({ ...this.link, state: 'ended', retryAt: undefined })
      this.close()
    }
  }

  private move(link: Link): void {
    this.link = link
    this.reports.onLink(link)
  }

  private take(event: WorldEvent): void {
    const { seq, kind } = event
    // The events from before the page was opened are no longer complete, or belong to another session.
    if (kind === 'session:resync' && !this.seen) {
      void this.beginLater()
      return
    }
    const opening = !this.seen
    this.seen = true
    if (kind === 'session:reset') this.move({ ...this.link, state: 'resetting', retryAt: undefined })
    if (kind === 'session:resync' && seq !== undefined) this.past.resume(seq)
    const past = this.past.holds(seq)
    // An event without a time gets the time of the event before it.
    const at = eventTime(event) ?? (past ? this.lastTime : undefined) ?? Date.now()
    this.lastTime = at
    if (opening && past && !this.whole) this.reports.onBefore(event)
    else this.reports.onEvent({ ...event, at, past })
  }
}
