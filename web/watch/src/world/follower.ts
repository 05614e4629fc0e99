import {
  PlayError, eventTime, hasCode, subscribeWorld,
  type Verification, type WorldClient, type WorldEvent, type WorldSnapshot, type WorldSubscription,
} from '@playctl/sdk'
import { Past, type Happening } from './events.js'
import { firstLink, nextLink, type Link } from './link.js'

/** What a follower reports. */
export interface FollowerReports {
  readonly onEvent: (event: Happening) => void
  readonly onWorld: (snapshot: WorldSnapshot) => void
  readonly onVerification: (verification: Verification) => void
  readonly onLink: (link: Link) => void
  /** The cookie is no longer good. True if there is a new one. */
  readonly onRefused: () => Promise<boolean>
}

/** So many events from before the page was opened are asked for. */
const history = 200

/** A person waits: the page tries sooner than other clients. */
const reconnect = { baseMs: 500, maxMs: 10_000 }

/**
 * Follows the world by the client's verified subscription, and says what the page
 * shows of the connection.
 */
export class Follower {
  private link: Link = firstLink
  private subscription: WorldSubscription | undefined
  private readonly past: Past
  private lastTime = 0
  private seen = false
  private readonly ending = new AbortController()

  /** @param seq The position of the log when the page was opened. */
  constructor(private readonly client: WorldClient, private readonly seq: number, private readonly reports: FollowerReports) {
    this.past = new Past(seq)
  }

  /** Follows until close, or until access has ended. */
  async run(): Promise<void> {
    this.subscription = subscribeWorld(this.client, {
      after: Math.max(0, this.seq - history),
      reconnect,
      signal: this.ending.signal,
      onEvent: (event) => { this.take(event) },
      onSnapshot: ({ snapshot, verification }) => {
        this.past.enter(snapshot.sid)
        this.reports.onWorld(snapshot)
        this.reports.onVerification(verification)
      },
      onState: (state) => {
        this.reports.onVerification(state.verification)
        if (!this.ending.signal.aborted) this.move(nextLink(this.link, state, Date.now()))
      },
      onError: (error) => { void this.failed(error) },
    })
    await this.subscription.done
  }

  /** Tries at once where it waits. */
  retry(): void {
    this.subscription?.reconnect()
  }

  close(): void {
    this.ending.abort()
  }

  /** Looks whether access has ended. */
  private async failed(error: Error): Promise<void> {
    if (!(error instanceof PlayError && (error.status === 401 || hasCode(error, 'forbidden')))) return
    if (await this.reports.onRefused()) {
      this.retry()
    } else {
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
    // The events from before the page was opened are not all there any more.
    if (kind === 'session:resync' && !this.seen) return
    this.seen = true
    if (kind === 'session:reset') this.move({ ...this.link, state: 'resetting', retryAt: undefined })
    if (kind === 'session:resync' && seq !== undefined) this.past.resume(seq)
    const past = this.past.holds(seq)
    // An event without a time came with the one before it.
    const at = eventTime(event) ?? (past ? this.lastTime : Date.now())
    this.lastTime = at
    this.reports.onEvent({ ...event, at, past })
  }
}
