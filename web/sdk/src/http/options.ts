import type { OptionNames } from '../protocol/options.js'

/** The calling node, and what authenticates it. */
export interface NodeIdentity {
  /** The node's id. */
  readonly nodeId: string
  /** The hash of the node's phrase: 64 lower-case hex digits. A secret. */
  readonly passwHash: string
}

/**
 * The caller: a node, the administrator by its token, the holder of the watch
 * page's cookie (browsers only; the browser sends the cookie itself) or of a watch
 * pass that `watchPass` returned, or nobody.
 */
export type CallerCredentials =
  | NodeIdentity
  | { readonly adminToken: string }
  | { readonly cookie: true }
  /** A function returns the present pass, undefined for none yet: a pass ends after an hour. A secret. */
  | { readonly pass: string | (() => string | undefined) }
  | { readonly none: true }

/** How often a call is tried and how long it waits in between. */
export interface Retry {
  /** How often a call is tried in all; 1 means no retry. */
  readonly attempts: number
  /** The first wait in milliseconds; each further one is twice as long, half of every wait is random. */
  readonly baseMs: number
  /** The longest wait. A call is not retried if the host asks for a longer one. */
  readonly maxMs: number
}

/** Never retries, for a caller that shows a failure immediately. */
export const noRetry: Retry = { attempts: 1, baseMs: 0, maxMs: 0 }

/** For a program that should survive a host's restart: it gives up after about a minute. */
export const patientRetry: Retry = { attempts: 16, baseMs: 100, maxMs: 6000 }

/** For a waiting person: it gives up after about two seconds. */
export const briskRetry: Retry = { attempts: 5, baseMs: 200, maxMs: 10_000 }

/** The options of a client. Only `baseUrl` is required. */
export interface ClientOptions {
  /** The host's address, such as `http://127.0.0.1:7420`, with a path if it is served below one. */
  readonly baseUrl: string
  /** The service name in the paths; `play` by default. */
  readonly service?: string
  /** The caller's credentials; none by default. */
  readonly credentials?: CallerCredentials
  /** The API key of the caller's account. A secret. */
  readonly apiKey?: string
  /** The token that a host with registration by token requires. A secret. */
  readonly registrationToken?: string
  /** How long one attempt of a call may take, in milliseconds; 30,000 by default. It does not limit streams. */
  readonly timeoutMs?: number
  /** How often and when to retry; `patientRetry` by default. */
  readonly retry?: Retry
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Called when the host has another session than the last known one, before the call
   * that noticed it continues. It must not call the client. Errors that it throws are dropped.
   */
  readonly onSession?: (sid: string) => void
  /**
   * Called with the number of the world's hosts that may still accept credentials that a call deleted, revoked or replaced, as
   * far as the replying host knows; a warning is printed unless it is given. It must not call the client. Errors that it throws are dropped.
   */
  readonly onUnconfirmed?: (hosts: number) => void
}

/** The names of the options of a client. @internal */
export const clientOptions: OptionNames<ClientOptions> = {
  baseUrl: true, service: true, credentials: true, apiKey: true, registrationToken: true, timeoutMs: true, retry: true, fetch: true, onSession: true, onUnconfirmed: true,
}

/** The options of one call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The options of a read of the whole world. */
export interface ReadOptions extends CallOptions {
  /** Requests a reply of at least this rev. */
  readonly minRev?: number
}

/** The options of a read of chain nodes. */
export interface NodeOptions extends ReadOptions {
  /** Requests the state at this rev, which counts as `minRev` as well; the reply states its rev. Only for hosts with `chain-at-rev`. */
  readonly atRev?: number
}
