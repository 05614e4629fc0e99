import type { Retry } from '../http/options.js'
import type { WorldEvent } from '../protocol/events.js'
import type { WorldSnapshot } from '../protocol/contract.js'

/**
 * What is known about a copy of the world:
 *
 * - `unread`: there is no copy yet;
 * - `verified`: root and leaf count were rebuilt from the copy and equal what
 *   the host stated for this rev;
 * - `catching-up`: some rows are newer than the last event, so the copy can be
 *   verified only after later events or a full read;
 * - `mismatch`: the copy differs from the host's world. It is read again;
 * - `unverifiable`: the host states no root, or verification is turned off.
 */
export type Verification = 'unread' | 'verified' | 'catching-up' | 'mismatch' | 'unverifiable'

/** One leaf of the chain that an event changed. */
export interface ChangedKey {
  /** The leaf's key, such as `agent:<nodeId>:<agentId>` or `mcp:<id>`. */
  readonly stableKey: string
  /** Whether the leaf was removed. */
  readonly removed: boolean
}

/** A new state of the copy. */
export interface WorldUpdate {
  /** The copy; it is immutable, and shares unchanged rows with the previous one. */
  readonly snapshot: WorldSnapshot
  /** What is known about the copy. */
  readonly verification: Verification
  /** The event that caused the update; absent for a full read. */
  readonly event?: WorldEvent
  /** The leaves that the event changed; absent for a full read, after which anything may differ. */
  readonly changes?: readonly ChangedKey[]
}

/** The counters of a subscription. */
export interface SubscriptionStats {
  /** Events received. */
  readonly events: number
  /** Events that changed the copy. */
  readonly merges: number
  /** Comparisons in which root and leaf count were equal. */
  readonly verifications: number
  /** Snapshots read. */
  readonly fullReads: number
  /** Copies that differed from the host's world. */
  readonly mismatches: number
  /** Full reads that repaired such a copy. */
  readonly heals: number
  /** Connections after the first one. */
  readonly reconnects: number
  /** Times that the host went back to an earlier state of the same session, each of which is reported as a `WentBackError`. */
  readonly rollbacks: number
}

/** The state of a subscription. */
export interface SubscriptionState {
  /** The copy; absent before the first full read. */
  readonly snapshot?: WorldSnapshot
  /** What is known about the copy. */
  readonly verification: Verification
  /** Whether the host's stream is open. */
  readonly connected: boolean
  /** The time of the next attempt to connect, in milliseconds since 1970; absent while connected and while an attempt is in progress. */
  readonly retryAt?: number
  /** Why the last connection ended, unless it ended cleanly; absent while connected. */
  readonly lastError?: Error
  /** The counters so far. */
  readonly stats: SubscriptionStats
}

/**
 * The options of `subscribeWorld`. The callbacks are called one after the other, and
 * the subscription waits for each to return: a host disconnects a subscriber that
 * falls behind, which then resumes. Promises that they return are not awaited.
 * Errors that they throw or reject with go to `onError`; errors that `onError`
 * throws are dropped.
 */
export interface SubscribeOptions {
  /** Called once for each full read, and once for each event that changed the map. */
  readonly onSnapshot?: (update: WorldUpdate) => void | Promise<void>
  /** Called for each event, before `onSnapshot`. */
  readonly onEvent?: (event: WorldEvent) => void | Promise<void>
  /**
   * Called for each event after the copy has applied it, after `onEvent` and
   * `onSnapshot`, with what is known about the copy as of the event: `catching-up` if
   * that depends on later events or on a full read.
   */
  readonly onChecked?: (event: WorldEvent, verification: Verification) => void | Promise<void>
  /** Called when the connection, the time of the next attempt or the verification changes. */
  readonly onState?: (state: SubscriptionState) => void | Promise<void>
  /** Called for errors. The subscription continues. */
  readonly onError?: (error: Error) => void | Promise<void>
  /**
   * The seq of the event to begin after; without it the subscription begins with the
   * next event. Events from before the first full read are reported and change
   * nothing.
   */
  readonly after?: number
  /** Whether to verify the copy; true by default. */
  readonly verify?: boolean
  /** Whether to request the changed rows within the events; true by default. */
  readonly inline?: boolean
  /**
   * How long to wait before the next attempt to connect: the first wait and the longest, in
   * milliseconds; each is twice as long as the previous one, half of it random. By default
   * the first is the host's reconnection time and the longest is 30 s.
   */
  readonly reconnect?: Pick<Retry, 'baseMs' | 'maxMs'>
  /**
   * How long the stream may be silent before the connection is considered lost, in milliseconds; by default
   * three times `limits.maxStreamSilenceSeconds`, after which a host of this protocol sends a comment.
   */
  readonly silenceMs?: number
  /** Whether the program may answer the commands that `onEvent` gets. Otherwise the host knows that this stream has no reader that answers. @internal */
  readonly mayAnswer?: boolean
  /** How long to wait for a stream's headers before the snapshot is read without them, in milliseconds. @internal */
  readonly headersTimeoutMs?: number
  /** Ends the subscription, as `close` does. */
  readonly signal?: AbortSignal
}

/** A live copy of the world. It reconnects until it is closed. */
export interface WorldSubscription {
  /** The current state of the subscription. */
  readonly state: SubscriptionState
  /** Resolves when the subscription has ended, never rejects. */
  readonly done: Promise<void>
  /**
   * Tries to connect now if it waits for its next attempt: for a page that
   * knows that the network is back, or that has a new cookie. With `force` it also ends an attempt that is in progress, or
   * an open connection, and connects again: for a page that learns that the network is gone.
   */
  reconnect(force?: boolean): void
  /** Ends the subscription and waits until it has ended. May be called again. */
  close(): Promise<void>
}
