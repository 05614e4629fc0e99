import type { Retry } from '../http/options.js'
import type { WorldEvent } from '../protocol/events.js'
import type { WorldSnapshot } from '../protocol/contract.js'

/**
 * What is known about a copy of the world:
 *
 * - `unread`: there is no copy yet;
 * - `verified`: root and leaf count were rebuilt from the copy and equal what
 *   the host stated for this rev;
 * - `catching-up`: some rows are newer than the last event, so whether the copy
 *   is right shows when the events have got that far;
 * - `mismatch`: the copy is not the host's. It is being read again;
 * - `unverifiable`: the host states no root, or verifying is turned off.
 */
export type Verification = 'unread' | 'verified' | 'catching-up' | 'mismatch' | 'unverifiable'

/** One leaf of the chain that an event changed. */
export interface ChangedKey {
  /** The leaf's key, such as `agent:<nodeId>:<agentId>` or `mcp:<id>`. */
  readonly stableKey: string
  /** Whether the copy has it no longer. */
  readonly removed: boolean
}

/** A new state of the copy. */
export interface WorldUpdate {
  /** The copy; it never changes, and shares unchanged rows with the one before. */
  readonly snapshot: WorldSnapshot
  /** What is known about it. */
  readonly verification: Verification
  /** The event that brought it; absent for a full read. */
  readonly event?: WorldEvent
  /** What the event changed; absent for a full read, of which anything may differ. */
  readonly changes?: readonly ChangedKey[]
}

/** What a subscription did so far. */
export interface SubscriptionStats {
  /** Events that were received. */
  readonly events: number
  /** Events that changed the copy. */
  readonly merges: number
  /** Comparisons of root and count that were equal. */
  readonly verifications: number
  /** Snapshots that were read. */
  readonly fullReads: number
  /** Copies that were found not to be the host's. */
  readonly mismatches: number
  /** Full reads that repaired such a copy. */
  readonly heals: number
  /** Connections after the first one. */
  readonly reconnects: number
}

/** The state of a subscription. */
export interface SubscriptionState {
  /** The copy; absent before the first full read. */
  readonly snapshot?: WorldSnapshot
  /** What is known about it. */
  readonly verification: Verification
  /** Whether the host's stream is open. */
  readonly connected: boolean
  /** When the next attempt to connect is made, in milliseconds since 1970; absent while connected and while an attempt is under way. */
  readonly retryAt?: number
  /** Why the last connection ended, if that was not a clean end; absent while connected. */
  readonly lastError?: Error
  /** What was done so far. */
  readonly stats: SubscriptionStats
}

/**
 * What a subscription reports, and how it follows. The functions are called one
 * after the other and hold the subscription up: a host cuts a subscriber that
 * falls behind, which then resumes. One that returns a promise is not waited
 * for. What they throw, or the promise rejects with, goes to `onError`; what that
 * throws is dropped.
 */
export interface SubscribeOptions {
  /** Called once for each full read, and once for each event that changed the map. */
  readonly onSnapshot?: (update: WorldUpdate) => void | Promise<void>
  /** Called for each event, before `onSnapshot`. */
  readonly onEvent?: (event: WorldEvent) => void | Promise<void>
  /**
   * Called for each event once the copy has taken it, after `onEvent` and
   * `onSnapshot`, with what is known about the copy as of it: `catching-up` where
   * that waits for later events or for a full read.
   */
  readonly onChecked?: (event: WorldEvent, verification: Verification) => void | Promise<void>
  /** Called when the connection, the time of the next attempt or the verification changes. */
  readonly onState?: (state: SubscriptionState) => void | Promise<void>
  /** Called for errors. The subscription continues. */
  readonly onError?: (error: Error) => void | Promise<void>
  /**
   * The event to begin after; without it the subscription begins with what
   * happens from now on. Events from before the first full read are reported
   * and change nothing.
   */
  readonly after?: number
  /** Whether to verify; true unless it is false. */
  readonly verify?: boolean
  /** Whether to ask for the changed rows within the events; true unless it is false. */
  readonly inline?: boolean
  /**
   * How long to wait before the next attempt to connect: the first wait and the longest, in
   * milliseconds; each is twice as long as the one before, half of it random. Those that
   * the host asks for unless it is given, up to 30 s.
   */
  readonly reconnect?: Pick<Retry, 'baseMs' | 'maxMs'>
  /**
   * How long the stream may be silent before the connection counts as lost, in milliseconds; 45 s unless
   * it is given. A host of this protocol sends a comment every 15 s.
   */
  readonly silenceMs?: number
  /** How long to wait for a stream's headers before the snapshot is read all the same, in milliseconds. @internal */
  readonly headersTimeoutMs?: number
  /** Ends the subscription, as `close` does. */
  readonly signal?: AbortSignal
}

/** A live copy of the world. It reconnects until it is closed. */
export interface WorldSubscription {
  /** The present state of the subscription. */
  readonly state: SubscriptionState
  /** Resolves when the subscription has ended, never rejects. */
  readonly done: Promise<void>
  /**
   * Tries to connect now if it waits for its next attempt: for a page that
   * knows that the network is back, or that has a new cookie. With `anew` it also ends an attempt that is under way, or
   * a connection that there is, and makes it again: for a page that learns that the network is gone.
   */
  reconnect(anew?: boolean): void
  /** Ends the subscription and waits for its end. May be called again. */
  close(): Promise<void>
}
