/** The calling node, and what authenticates it. */
export interface NodeIdentity {
  /** The node's id. */
  readonly nodeId: string
  /** The hash of the node's phrase: 64 lower-case hex digits. A secret. */
  readonly passwHash: string
}

/**
 * Who calls: a node, the administrator by its token, the holder of the watch
 * page's cookie (browsers only; the browser sends the cookie itself) or of a pass to
 * watch that `watchPass` gave, or nobody.
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
  /** The service name in the paths; `play` unless it is given. */
  readonly service?: string
  /** Who calls; nobody in particular unless it is given. */
  readonly credentials?: CallerCredentials
  /** The API key of the caller's account. A secret. */
  readonly apiKey?: string
  /** The token that a host with registration by token requires. A secret. */
  readonly registrationToken?: string
  /** How long one attempt of a call may take, in milliseconds; 30,000 unless it is given. Streams are not bound by it. */
  readonly timeoutMs?: number
  /** How often and when to retry; `patientRetry` unless it is given. */
  readonly retry?: Retry
  /** Sends the requests; the global `fetch` unless it is given. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Called when the host has another session than the one that was known,
   * before the call that noticed continues. It must not call the client. What it throws is dropped.
   */
  readonly onSession?: (sid: string) => void
  /**
   * Called where what a call deleted, revoked or replaced is not refused yet by so many hosts of the world, as far as the
   * one that answered knows; a warning is printed unless it is given. It must not call the client. What it throws is dropped.
   */
  readonly onUnconfirmed?: (hosts: number) => void
}

/** The options of one call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The options of a read of the whole world. */
export interface ReadOptions extends CallOptions {
  /** Asks for an answer from at least that rev. */
  readonly minRev?: number
}

/** The options of a read of chain nodes. */
export interface NodeOptions extends ReadOptions {
  /** Asks for the state of that rev, which counts as `minRev` as well; the reply says of which it is. Only for hosts with `chain-at-rev`. */
  readonly atRev?: number
}
