import { asError } from '../protocol/callback.js'
import { OptionError } from '../protocol/errors.js'

/** When a call whose outcome is unknown may be made again. */
export type Repeat =
  /** Always: it changes nothing. */
  | 'read'
  /** Always: made twice it leaves what made once leaves. */
  | 'same'
  /** Where the host keeps idempotency keys. */
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
  /** A write that takes no idempotency key. */
  readonly keyless?: boolean
  /** The largest reply in bytes, 1 MiB unless it is given. */
  readonly limit?: number
  /** The reply is of the world as it is: it shall show what this client wrote, also at another host. */
  readonly world?: boolean
  /** Asks for an answer from at least that rev. */
  readonly minRev?: number
  /** A retry that is answered by 401 is a success: the first attempt deleted the caller. */
  readonly gone?: boolean
  /** A status besides 2xx whose body is the reply. */
  readonly accept?: number
}

/** The largest reply of routes that give snapshots, listings and batches of nodes, in bytes. */
export const largeReply = 128 << 20

/** The largest reply of other routes, in bytes. */
export const smallReply = 1 << 20

/** A call's name in messages. */
export function routeOf(call: Call): string {
  return `${call.method} ${call.path}`
}

/** A call's body as JSON, undefined for none. One that JSON cannot hold, such as one with a bigint or a cycle, is an `OptionError`. */
export function bodyOf(call: Call): string | undefined {
  if (call.body === undefined) return undefined
  try {
    return JSON.stringify(call.body)
  } catch (error) {
    throw new OptionError(`the body of ${routeOf(call)} cannot be JSON: ${asError(error).message}`, { cause: error })
  }
}

/** An answer whose body was read and parsed. */
export interface Reply {
  readonly status: number
  readonly value: unknown
  /** The rev that the reply is of; 0 on hosts that do not say. */
  readonly rev: number
}
