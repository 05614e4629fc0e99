import { asError } from '../protocol/callback.js'
import { OptionError } from '../protocol/errors.js'

/** When a call whose outcome is unknown may be repeated. */
export type Repeat =
  /** Always: it changes nothing. */
  | 'read'
  /** Always: the call is idempotent. */
  | 'same'
  /** Only if the host supports idempotency keys. */
  | 'keyed'

/** One call of a route. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Encoded as JSON; absent sends none. */
  readonly body?: unknown
  /** Whether the route needs the session. */
  readonly sid?: boolean
  readonly repeat: Repeat
  /** A write without an idempotency key. */
  readonly keyless?: boolean
  /** The largest reply in bytes, 1 MiB by default. */
  readonly limit?: number
  /** The reply describes the current world: it must include this client's writes, also at another host. */
  readonly world?: boolean
  /** Asks for an answer from at least that rev. */
  readonly minRev?: number
  /** A retry with the reply 401 is a success: the first attempt deleted the caller. */
  readonly gone?: boolean
  /** A status besides 2xx whose body is the reply. */
  readonly accept?: number
}

/** The largest reply of routes that return snapshots, listings and batches of nodes, in bytes. */
export const largeReply = 128 << 20

/** The largest reply of other routes, in bytes. */
export const smallReply = 1 << 20

/** Returns a call's name in messages. */
export function routeOf(call: Call): string {
  return `${call.method} ${call.path}`
}

/**
 * Returns a call's body as JSON, undefined for none. A lone surrogate, as in a text that was cut within a character, becomes U+FFFD, because hosts
 * refuse it. A body that JSON cannot represent, such as one with a bigint or a cycle, is an `OptionError`.
 */
export function bodyOf(call: Call): string | undefined {
  if (call.body === undefined) return undefined
  try {
    return wellFormed(JSON.stringify(call.body))
  } catch (error) {
    throw new OptionError(`the body of ${routeOf(call)} cannot be JSON: ${asError(error).message}`, { cause: error })
  }
}

/** Replaces the lone surrogates in JSON from `JSON.stringify`, which writes them, and no other character, as an escape that begins with `\ud`. */
function wellFormed(json: string): string {
  return json.includes('\\ud') ? json.replace(/\\(?:ud[89a-f][\da-f]{2}|.)/gu, (escape) => escape.length > 2 ? '\ufffd' : escape) : json
}

/** A reply whose body was read and parsed. */
export interface Reply {
  readonly status: number
  readonly value: unknown
  /** The rev that the reply is of; 0 on hosts that do not say. */
  readonly rev: number
}
