import { text } from '../text/text.js'
import { isObject, stringOf, type JsonObject } from '../world/json.js'
import { faultOf, type Fault } from './faults.js'
import type { Place } from './place.js'

/** A host's refusal, or its silence: then the status is 0. */
export class ApiError extends Error {
  /** The host's own sentence where the message is the page's; empty otherwise. */
  readonly detail: string

  constructor(readonly status: number, readonly code: string, { message, detail }: Fault, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.detail = detail
  }
}

/** What a viewer may do: look, or ask agents as well. */
export type Scope = 'watch' | 'act'

/** How long a host may take to answer, in milliseconds. */
const patience = 15_000

/** Calls the routes of the host that served the page; the browser adds the cookie. */
export class Api {
  constructor(private readonly place: Place) {}

  /** The host's address and service name, as a client of it takes them. */
  get origin(): { readonly baseUrl: string, readonly service: string } {
    return { baseUrl: location.origin + this.place.prefix, service: this.place.service }
  }

  /** The address of a route of the service. */
  path(route: string): string {
    return `${this.place.prefix}/api/${this.place.service}${route}`
  }

  /** Asks for a cookie, or whether there is one that is good. */
  async access(token?: string): Promise<Scope> {
    const path = `${this.place.prefix}/${this.place.service}/watch/session`
    const reply = await this.call(path, token === undefined ? {} : { token })
    return reply.scope === 'act' ? 'act' : 'watch'
  }

  /** Reads a route. */
  async get(route: string): Promise<JsonObject> {
    return this.call(this.path(route))
  }

  /** Calls an operation; those that change something need the session's id. */
  async rpc(op: string, payload: JsonObject, sid?: string): Promise<JsonObject> {
    const query = sid === undefined ? '' : `?sid=${encodeURIComponent(sid)}`
    return this.call(this.path(`/sdk/rpc${query}`), { op, payload })
  }

  private async call(path: string, body?: JsonObject): Promise<JsonObject> {
    const reply = await fetch(path, {
      cache: 'no-store', credentials: 'same-origin', signal: AbortSignal.timeout(patience),
      ...(body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    }).catch((cause: unknown) => { throw new ApiError(0, 'unreachable', { message: silenceOf(cause), detail: '' }, { cause }) })
    const value: unknown = await reply.json().catch(() => undefined)
    if (!reply.ok) {
      const answer = isObject(value) ? value : {}
      const code = stringOf(answer.code)
      throw new ApiError(reply.status, code, faultOf(code, stringOf(answer.error), reply.status))
    }
    return isObject(value) ? value : {}
  }
}

/** Why there is no answer, in the page's words: those of a browser are for developers. */
function silenceOf(cause: unknown): string {
  return text(cause instanceof DOMException && cause.name === 'TimeoutError' ? 'fault.silent' : 'fault.unreachable')
}
