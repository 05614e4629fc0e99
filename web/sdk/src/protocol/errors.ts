import { type ErrorCode, type IntercomEventData, errorStatuses } from './contract.js'
import type { NamedOr } from './events.js'

/** Returns the code to assume for a status whose reply states none, as from hosts of the agent-play service. */
export function codeForStatus(status: number): ErrorCode {
  const [general] = Object.entries(errorStatuses).find(([, other]) => other === status) ?? []
  return (general as ErrorCode | undefined) ?? (status < 500 ? 'body_invalid' : 'internal')
}

/** The code and the message that a refusal itself contains, each empty if it has none. */
export interface Stated {
  readonly code: string
  readonly message: string
}

/** The parts of a refusal. */
export interface PlayErrorParts {
  readonly code: string
  readonly status: number
  readonly message: string
  readonly stated?: Stated
  readonly requestId?: string
  readonly retryAfterMs?: number
}

/** A host refused a call. Decide on `code`, never on the message. */
export class PlayError extends Error {
  override readonly name = 'PlayError'
  /** The refusal's code, usually an `ErrorCode`; a newer host may send others. */
  readonly code: NamedOr<ErrorCode>
  /** The HTTP status. */
  readonly status: number
  /** The host's own `code` and `message`: both empty for a proxy's page, no code from hosts of the agent-play service. */
  readonly stated: Stated
  /** The request's id in the host's log; empty if the host stated none. */
  readonly requestId: string
  /** How long to wait before a retry, as the host requests it, in milliseconds; 0 if it does not. */
  readonly retryAfterMs: number

  /** Creates the error for a refusal. */
  constructor(parts: PlayErrorParts) {
    super(parts.message)
    this.code = parts.code
    this.status = parts.status
    this.stated = parts.stated ?? { code: parts.code, message: parts.message }
    this.requestId = parts.requestId ?? ''
    this.retryAfterMs = parts.retryAfterMs ?? 0
  }
}

/** Reports whether an error is a host's refusal with one of some codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is PlayError {
  return error instanceof PlayError && (codes as readonly string[]).includes(error.code)
}

/** The host did not reply. */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError'
  /** Whether the request may have reached the host: then the outcome of a write is unknown. */
  readonly sent: boolean

  /** Creates the error for a host, named by its address without path and query. */
  constructor(host: string, reason: string, sent: boolean, cause?: unknown) {
    super(`cannot reach the host at ${host}: ${reason}`, cause === undefined ? undefined : { cause })
    this.sent = sent
  }
}

/** The host did not reply within the time limit of a call. */
export class TimeoutError extends UnreachableError {
  override readonly name = 'TimeoutError'

  /** Creates the error for a host, named by its address without path and query. */
  constructor(host: string) {
    super(host, 'it did not answer in time', true)
  }
}

/** The host's reply cannot be used: it is too long, not JSON, or lacks a member that the route must return. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'

  /** Creates the error for a route, which is a method and a path. */
  constructor(route: string, reason: string, options?: ErrorOptions) {
    super(`cannot use the reply to ${route}: ${reason}`, options)
  }
}

/** The world, or the subscription, was closed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'

  /** Creates the error. */
  constructor(what = 'the world was closed') {
    super(what)
  }
}

/** An option of this package is missing or invalid. */
export class OptionError extends TypeError {
  override readonly name = 'OptionError'
}

/** Events were missed: the host no longer has them, or never stored them. */
export class GapError extends Error {
  override readonly name = 'GapError'
}

/** An agent, or the host in its place, answered a question with `failed`. */
export class AgentFailedError extends Error {
  override readonly name = 'AgentFailedError'

  /** Creates the error for an answer. */
  constructor(readonly answer: IntercomEventData) {
    super(`the agent failed: ${answer.error ?? 'it gave no reason'}`)
  }
}

/** An error whose message the agent sends to the asker instead of a result. Any other error that a tool throws is only for the developer. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The reason of an executor's signal: the command was already answered, by the host after its time limit, or by another program. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError'
}

/** The reason of an executor's signal: its time limit has passed. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError'
}

/** A copy's root or leaf count differs from what the host stated. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError'

  /** Creates the error from the host's root and leaf count (`want`) and those of the copy (`got`). */
  constructor(
    readonly wantRootHex: string,
    readonly wantLeafCount: number,
    readonly gotRootHex: string,
    readonly gotLeafCount: number,
  ) {
    super(
      wantRootHex === gotRootHex
        ? `the copy has ${gotLeafCount} leaves, the host has ${wantLeafCount}, with the same root ${wantRootHex}`
        : `the copy's root is ${gotRootHex} over ${gotLeafCount} leaves, the host's is ${wantRootHex} over ${wantLeafCount}`,
    )
  }
}

/** The copy was read again because it differed from the host's world, and it still differs. */
export class UnmendedError extends Error {
  override readonly name = 'UnmendedError'

  /** Creates the error; the cause states the difference. */
  constructor(cause: Error) {
    super(`the copy of the world was read again and still does not match the host: ${cause.message}`, { cause })
  }
}

/**
 * The host contradicts what it stated before in the same session: its world went back to an
 * earlier state. A host never does that by itself, even when it restarts, is restored from a
 * backup, or loses events; an older copy of its store that was put in place does.
 */
export class WentBackError extends Error {
  override readonly name = 'WentBackError'

  /** Creates the error from what went back, its highest number before, and the present one: equal if the host states another root for a rev. */
  constructor(
    readonly what: 'event' | 'rev',
    readonly from: number,
    readonly to: number,
  ) {
    super(
      from === to
        ? `the host states another root for rev ${to} than before, in the same session`
        : `the host went back from ${what} ${from} to ${to} in the same session`,
    )
  }
}
