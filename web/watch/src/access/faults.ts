import { PlayError, TimeoutError, UnreachableError, type ErrorCode } from '@playctl/sdk'
import { text, type TextKey } from '../text/text.js'

/** What a person can do about refusals, by the protocol's codes. */
const words = {
  player_unknown: 'fault.playerUnknown',
  tool_unknown: 'fault.toolUnknown',
  people_limit: 'fault.peopleLimit',
  storage_limit: 'fault.storageLimit',
  body_invalid: 'fault.bodyInvalid',
  body_too_large: 'fault.bodyTooLarge',
  credentials_missing: 'fault.credentials',
  credentials_invalid: 'fault.credentials',
  forbidden: 'fault.forbidden',
  sid_invalid: 'fault.sidInvalid',
  idempotency_conflict: 'fault.conflict',
  rate_limited: 'fault.rateLimited',
  internal: 'fault.internal',
  store_unavailable: 'fault.storeUnavailable',
  behind: 'fault.behind',
  shutting_down: 'fault.shuttingDown',
  overloaded: 'fault.overloaded',
} as const satisfies Readonly<Partial<Record<ErrorCode, TextKey>>>

/** A refusal, as text for a person. */
export interface Fault {
  /** The page's text if it knows the code, else the host's. */
  readonly message: string
  /** The host's own text besides the page's, which may contain more; empty if there is none. */
  readonly detail: string
}

/** Describes why a call failed: messages of a browser are for developers. */
export function faultOf(error: unknown): Fault {
  if (error instanceof PlayError) {
    const { code, message } = error.stated
    if (isKnown(code)) return { message: text(words[code]), detail: message }
    return { message: message === '' ? text('fault.status', { status: String(error.status) }) : message, detail: '' }
  }
  if (error instanceof UnreachableError) return { message: text(error instanceof TimeoutError ? 'fault.silent' : 'fault.unreachable'), detail: '' }
  return { message: error instanceof Error ? error.message : String(error), detail: '' }
}

function isKnown(code: string): code is keyof typeof words {
  return Object.hasOwn(words, code)
}
