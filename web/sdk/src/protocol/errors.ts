import { type ErrorCode, type IntercomEventData, errorStatuses } from './contract.js'
import type { NamedOr } from './events.js'

/** The code to assume for a status whose reply names none, as hosts of the agent-play service send it. */
export function codeForStatus(status: number): ErrorCode {
  const [general] = Object.entries(errorStatuses).find(([, other]) => other === status) ?? []
  return (general as ErrorCode | undefined) ?? (status < 500 ? 'body_invalid' : 'internal')
}

/** The code and the sentence that a refusal itself holds, each empty if it has none. */
export interface Stated {
  readonly code: string
  readonly message: string
}

/** What a refusal consists of. */
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
  /** The refusal's name, mostly an `ErrorCode`; a newer host may send others. */
  readonly code: NamedOr<ErrorCode>
  /** The HTTP status. */
  readonly status: number
  /** What of `code` and `message` is the host's own: nothing on a proxy's page, no code on hosts of the agent-play service. */
  readonly stated: Stated
  /** The request's name in the host's log; empty if it said none. */
  readonly requestId: string
  /** How long the host asks to wait, in milliseconds; 0 if it does not. */
  readonly retryAfterMs: number

  /** Makes the error of a refusal. */
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

/** The host gave no answer. */
export class UnreachableError extends Error {
  override readonly name: string = 'UnreachableError'
  /** Whether the request may have reached the host: then the outcome of a write is unknown. */
  readonly sent: boolean

  /** Makes the error for a host, which is its address without path and query. */
  constructor(host: string, reason: string, sent: boolean, cause?: unknown) {
    super(`cannot reach the host at ${host}: ${reason}`, cause === undefined ? undefined : { cause })
    this.sent = sent
  }
}

/** The host gave no answer within the time that a call may take. */
export class TimeoutError extends UnreachableError {
  override readonly name = 'TimeoutError'

  /** Makes the error for a host, which is its address without path and query. */
  constructor(host: string) {
    super(host, 'it did not answer in time', true)
  }
}

/** The host's answer cannot be used: it is too long, no JSON, or lacks what the route promises. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'

  /** Makes the error for a route, which is a method and a path. */
  constructor(route: string, reason: string, options?: ErrorOptions) {
    super(`the answer to ${route} cannot be used: ${reason}`, options)
  }
}

/** The world, or the subscription, was closed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'

  /** Makes the error. */
  constructor(what = 'the world was closed') {
    super(what)
  }
}

/** An option that was given to this package is missing or wrong. */
export class OptionError extends TypeError {
  override readonly name = 'OptionError'
}

/** Events were missed: the host no longer has them, or never kept them. */
export class GapError extends Error {
  override readonly name = 'GapError'
}

/** An agent, or the host for it, answered a question with `failed`. */
export class AgentFailedError extends Error {
  override readonly name = 'AgentFailedError'

  /** Makes the error of an answer. */
  constructor(readonly answer: IntercomEventData) {
    super(`the agent failed: ${answer.error ?? 'it gave no reason'}`)
  }
}

/** What an agent answers in place of a result: its message is for the asker. What else a tool throws is for the developer alone. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Why an executor's signal ended: the command was answered already, by the host, for which it took too long, or by another program. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError'
}

/** Why an executor's signal ended: its time is over. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError'
}

/** A copy's root or leaf count differs from what the host stated. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError'

  /** Makes the error from what was wanted and what the copy has. */
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

/** The copy was read again because it was not the host's, and still is not. */
export class UnmendedError extends Error {
  override readonly name = 'UnmendedError'

  /** Makes the error; the cause says what differs. */
  constructor(cause: Error) {
    super(`the copy of the world was read again and still does not match the host: ${cause.message}`, { cause })
  }
}
