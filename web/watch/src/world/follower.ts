import { hasCode, PlayError, subscribeWorld, type Verification, type WorldClient, type WorldSnapshot, type WorldSubscription } from '@playctl/sdk'
import type { WorldEvent as SdkEvent } from '@playctl/sdk'
import { ApiError, type Api } from '../access/api.js'
import { timeOf, type WorldEvent } from './events.js'
import { numberOf } from './json.js'
import { backOff, firstLink, nextLink, type Link, type LinkEvent } from './link.js'
import { Past } from './past.js'

/** Whom a follower tells. */
export interface FollowerReports {
  readonly onEvent: (event: WorldEvent) => void
  readonly onWorld: (snapshot: WorldSnapshot) => void
  readonly onVerification: (verification: Verification) => void
  readonly onLink: (link: Link) => void
  /** The cookie is no longer good. True if there is a new one. */
  readonly onRefused: () => Promise<boolean>
}

/** So many events from before the page was opened are asked for. */
const history = 200

/**
 * Follows the world by the client's verified subscription, and says where the
 * connection stands: what the page shows of it, and when it is tried again.
 */
export class Follower {
  private link: Link = firstLink
  private subscription: WorldSubscription | undefined
  private past = new Past(0)
  private lastTime = 0
  private seen = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private wake: () => void = () => undefined
  private readonly ending = new AbortController()

  constructor(private readonly api: Api, private readonly client: WorldClient, private readonly reports: FollowerReports) {}

  /** Follows until close, or until access has ended: then it says so. */
  async run(): Promise<void> {
    const seq = await this.begin()
    if (seq === undefined) {
      return
    }
    this.past = new Past(seq)
    this.subscription = subscribeWorld(this.client, {
      after: Math.max(0, seq - history),
      signal: this.ending.signal,
      onEvent: (event) => { this.take(event) },
      onSnapshot: ({ snapshot, verification }) => {
        this.past.enter(snapshot.sid)
        this.reports.onWorld(snapshot)
        this.reports.onVerification(verification)
      },
      onState: ({ connected, verification }) => {
        this.reports.onVerification(verification)
        this.connected(connected)
      },
      onError: (error) => { void this.failed(error) },
    })
    await this.subscription.done
  }

  /** Tries at once where it waits. */
  retry(): void {
    this.wake()
    this.subscription?.reconnect()
  }

  close(): void {
    clearTimeout(this.timer)
    this.ending.abort()
    this.wake()
  }

  /** Asks for the log's position until the host answers; undefined where it is over before. */
  private async begin(): Promise<number | undefined> {
    while (!this.ending.signal.aborted) {
      try {
        return numberOf((await this.api.get('/session')).seq)
      } catch (cause) {
        if (cause instanceof ApiError && cause.status === 401 && !(await this.reports.onRefused())) {
          this.end()
          return undefined
        }
        this.lost()
        await new Promise<void>((resolve) => { this.wake = resolve })
      }
    }
    return undefined
  }

  private connected(connected: boolean): void {
    const live = this.link.state === 'live'
    if (connected && !live) {
      clearTimeout(this.timer)
      this.move({ is: 'opened' })
    } else if (!connected && live) {
      this.lost()
    }
  }

  /** Looks at what went wrong: no access, or one more attempt in vain. */
  private async failed(error: Error): Promise<void> {
    if (error instanceof PlayError && (error.status === 401 || hasCode(error, 'forbidden'))) {
      if (await this.reports.onRefused()) this.subscription?.reconnect()
      else this.end()
    } else if (this.subscription?.state.connected === false) {
      this.lost()
    }
  }

  private lost(): void {
    if (this.ending.signal.aborted) {
      return
    }
    const wait = backOff(this.link.attempts, Math.random())
    const now = Date.now()
    this.move({ is: 'lost', now, retryAt: now + wait })
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.move({ is: 'trying' })
      this.retry()
    }, wait)
  }

  private end(): void {
    this.move({ is: 'ended' })
    this.close()
  }

  private move(event: LinkEvent): void {
    this.link = nextLink(this.link, event)
    this.reports.onLink(this.link)
  }

  private take({ seq, kind, data }: SdkEvent): void {
    if (kind === 'session:resync' && !this.seen) {
      // The events from before the page was opened are not all there any more.
      return
    }
    this.seen = true
    if (kind === 'session:reset') {
      this.move({ is: 'reset' })
    }
    if (kind === 'session:resync' && seq !== undefined) {
      this.past.resume(seq)
    }
    const past = this.past.holds(seq)
    // An event without a time came with the one before it.
    const at = timeOf(data) ?? (past ? this.lastTime : Date.now())
    this.lastTime = at
    this.reports.onEvent({ seq, kind, data, at, past })
  }
}
