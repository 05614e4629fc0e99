import { asObject, asText, jsonOr, member } from '../json/read.js'
import { PlayError, UnreachableError, codeForStatus } from '../protocol/errors.js'
import type { Identity } from './identity.js'

/** The maximum length of a host's message: a broken host must not fill a page. */
const longestMessage = 1000

/** The message to a caller without credentials, in place of the host's, which names headers. */
const nobodyCalls = 'the host wants to know who calls: set mainNodeCredentials of the world, or credentials of the client'

/** Decodes a reply with an error status. A body that is not JSON leads to the status's general code. */
export function refusalOf(response: Response, body: string, who: Identity): PlayError {
  const parsed = asObject(jsonOr(body, undefined)) // undefined for a proxy's page
  const field = (name: string) => who.scrub(asText(member(parsed, name))?.slice(0, longestMessage) ?? '')
  const stated = { code: field('code'), message: field('error') }
  const code = stated.code || codeForStatus(response.status)
  return new PlayError({
    code,
    status: response.status,
    message: code === 'credentials_missing' && who.nodeId === '' ? nobodyCalls : stated.message || `the host answered with status ${response.status}`,
    stated,
    requestId: field('requestId'),
    retryAfterMs: retryAfterOf(response.headers.get('retry-after')),
  })
}

/** Reads a `Retry-After` header, seconds or a date (RFC 9110 section 10.2.3), as milliseconds. */
export function retryAfterOf(header: string | null, now = Date.now()): number {
  const text = header?.trim() ?? ''
  if (/^\d+$/u.test(text)) return Math.min(Number(text), 24 * 60 * 60) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(at - now, 0)
}

/** Codes of Node's errors after which a request cannot have left: no connection was made. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

/** Creates the error of an attempt without a reply. */
export function unreachable(host: string, error: unknown): UnreachableError {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code = asText(member(asObject(cause), 'code')) ?? ''
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : error instanceof Error ? error.message : String(error)
  return new UnreachableError(host, code !== '' && !reason.includes(code) ? `${reason} (${code})` : reason, !notSent.has(code), error)
}
