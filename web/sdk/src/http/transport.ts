import { parseJson } from '../json/parse.js'
import { asObject, asPosition, asText, member } from '../json/read.js'
import { type PlayError, ReplyError, TimeoutError } from '../protocol/errors.js'
import { type SessionReply, headers as names, queries, servicePaths } from '../protocol/contract.js'
import { asError, callBack, warnTo } from '../protocol/callback.js'
import { checkBaseUrl, checkService } from './address.js'
import { readBody, textOf } from './body.js'
import { type Call, type Reply, bodyOf, routeOf, smallReply } from './call.js'
import { Identity } from './identity.js'
import { type ClientOptions, type Retry, patientRetry } from './options.js'
import { refusalOf, unreachable } from './refusal.js'
import { Session } from './session.js'
import { Tries } from './tries.js'
import { linked, randomText, reasonOf, setTimer } from './wait.js'

const errorReply = 64 << 10

/** The warning that hosts may still accept what was deleted or replaced. */
export function unconfirmedText(hosts: number): string {
  const late = hosts === 1 ? 'a host of the world has' : `${hosts} hosts of the world have`
  return `${late} not confirmed a deletion or revocation: until then what is gone may be accepted there`
}

/** The values that transports of one host may share. */
export interface Shared {
  readonly session: Session
  readonly who?: Identity
  readonly retry?: Retry
  /** Ends every call when it ends. */
  readonly life?: AbortSignal | undefined
}

/** Sends calls to one host as one caller: session, idempotency keys, retries. */
export class Transport {
  readonly baseUrl: string
  readonly service: string
  readonly session: Session
  readonly who: Identity
  readonly retry: Retry
  readonly life: AbortSignal | undefined
  readonly #timeoutMs: number
  readonly #fetch: typeof globalThis.fetch
  readonly #onUnconfirmed: ((hosts: number) => void) | undefined

  constructor(options: ClientOptions, from?: Shared) {
    this.baseUrl = checkBaseUrl(options.baseUrl)
    this.service = checkService(options.service ?? 'play')
    this.session = from?.session ?? new Session(options.onSession)
    this.who = from?.who ?? Identity.of(options)
    this.retry = from?.retry ?? options.retry ?? patientRetry
    this.life = from?.life
    this.#onUnconfirmed = options.onUnconfirmed
    this.#timeoutMs = options.timeoutMs ?? 30_000
    // Bound, because a browser's fetch wants the window as its `this`.
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  }

  /** The host's address without a path, fit for messages. */
  get host(): string {
    return new URL(this.baseUrl).origin
  }

  /** Returns the path of a route with a service name. */
  path(route: keyof typeof servicePaths): string {
    return servicePaths[route].replace('{service}', this.service)
  }

  /** Makes a call: retries it if that is safe, and returns the first final reply. */
  async do(call: Call, signal?: AbortSignal): Promise<Reply> {
    if (this.life === undefined) return this.#do(call, signal)
    const ending = new AbortController()
    const unlink = linked(ending, this.life, signal)
    try {
      return await this.#do(call, ending.signal)
    } finally {
      unlink()
    }
  }

  async #do(call: Call, signal: AbortSignal | undefined): Promise<Reply> {
    const key = call.repeat === 'read' || call.keyless === true ? undefined : randomText()
    const tries = new Tries(this, call, signal)
    for (;;) {
      if (signal?.aborted === true) throw reasonOf(signal)
      const sid = call.sid === true ? await this.sid(signal) : undefined
      try {
        return await this.attempt(call, sid, key, signal)
      } catch (error) {
        if (await tries.failed(sid, error)) return { status: 200, value: { ok: true }, rev: 0 }
      }
    }
  }

  /** Returns the session that calls are for, and fetches it if none is known. */
  async sid(signal?: AbortSignal): Promise<string> {
    return this.session.get(async () => this.fetchSession(signal), this.retry.attempts, signal)
  }

  /** Fetches the session and the host's capabilities. */
  async fetchSession(signal?: AbortSignal): Promise<SessionReply> {
    const call: Call = { method: 'GET', path: this.path('session'), repeat: 'read' }
    const { value } = await this.do(call, signal)
    const sid = asText(member(asObject(value), 'sid'))
    if (!sid) throw new ReplyError(routeOf(call), 'it has no session: is this the address of a playctl host?')
    const reply = value as SessionReply
    this.session.adopt(reply)
    return reply
  }

  /** Sends a call once and reads the answer. */
  async attempt(call: Call, sid: string | undefined, key: string | undefined, signal?: AbortSignal): Promise<Reply> {
    const limited = new AbortController()
    const unlink = linked(limited, signal)
    const timer = setTimer(() => {
      limited.abort(new TimeoutError(this.host))
    }, this.#timeoutMs)
    try {
      const response = await this.send(call, sid, key, limited.signal)
      return await this.#read(call, response)
    } catch (error) {
      if (limited.signal.aborted) throw reasonOf(limited.signal)
      throw error
    } finally {
      clearTimeout(timer)
      unlink()
    }
  }

  /** Sends a call's request and returns the response before its body is read. */
  async send(call: Call, sid: string | undefined, key: string | undefined, signal: AbortSignal, extra?: Readonly<Record<string, string>>): Promise<Response> {
    const query = new URLSearchParams(call.query)
    if (sid !== undefined) query.set(queries.sid, sid)
    const body = bodyOf(call)
    const headers = new Headers({ accept: 'application/json', ...extra })
    if (body !== undefined) headers.set('content-type', 'application/json')
    // A host without support for idempotency keys must get none.
    if (key !== undefined && this.session.has('idempotency') !== false) headers.set(names.idempotencyKey, key)
    const minRev = Math.max(call.minRev ?? 0, call.world === true ? this.session.written : 0)
    if (minRev > 0 && this.session.has('min-rev') !== false) headers.set(names.minRev, String(minRev))
    this.who.show(headers)
    const text = query.toString()
    try {
      return await this.#fetch(this.baseUrl + call.path + (text === '' ? '' : `?${text}`), {
        method: call.method,
        headers,
        signal,
        ...(body === undefined ? {} : { body }),
        // A redirect is not followed: the credentials would go there as well.
        redirect: 'manual',
        credentials: this.who.cookie ? 'same-origin' : 'omit',
        cache: 'no-store',
      })
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal)
      throw unreachable(this.host, error)
    }
  }

  /** The refusal in a response that is not a success, or that a redirect is none. */
  async refusal(call: Call, response: Response): Promise<PlayError | ReplyError> {
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel()
      return new ReplyError(routeOf(call), 'the host redirects to another address, but credentials are not sent there: if you trust it, use that address')
    }
    const body = await readBody(response, errorReply).catch((error: unknown) => {
      throw unreachable(this.host, error)
    })
    // The status counts, whatever body and encoding a proxy sent.
    return refusalOf(response, new TextDecoder().decode(body.bytes), this.who)
  }

  /** Reports how many hosts have not confirmed a deletion, from the header of the host that replied. */
  #tellUnconfirmed(text: string): void {
    const hosts = /^\d{1,5}$/.test(text) ? Number(text) : 0
    if (hosts === 0) return
    if (this.#onUnconfirmed === undefined) warnTo(undefined, unconfirmedText(hosts))
    else callBack(this.#onUnconfirmed, () => undefined, hosts)
  }

  async #read(call: Call, response: Response): Promise<Reply> {
    const rev = asPosition(Number(response.headers.get(names.rev) ?? NaN)) ?? 0
    // A refusal counts as well: a read at another host must include the state that the
    // write was refused for.
    if (call.repeat !== 'read') this.session.written = Math.max(this.session.written, rev)
    if (!response.ok && response.status !== call.accept) throw await this.refusal(call, response)
    const limit = call.limit ?? smallReply
    let body
    try {
      body = await readBody(response, limit)
    } catch (error) {
      throw unreachable(this.host, error)
    }
    if (!body.whole) throw new ReplyError(routeOf(call), `the reply exceeds ${limit} bytes`)
    if (call.repeat !== 'read') this.#tellUnconfirmed(response.headers.get(names.unconfirmed) ?? '')
    try {
      return { status: response.status, value: parseJson(textOf(body)), rev }
    } catch (error) {
      // These errors name a place and no content: a reply may hold a secret.
      throw new ReplyError(routeOf(call), asError(error).message)
    }
  }
}
