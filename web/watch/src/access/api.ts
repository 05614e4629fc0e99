import { isObject, stringOf, type JsonObject } from '../world/json.js'
import type { Place } from './place.js'

/** A host's refusal, or its silence: then the status is 0. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message)
    this.name = 'ApiError'
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
    }).catch((cause: unknown) => { throw new ApiError(0, 'unreachable', cause instanceof Error ? cause.message : String(cause)) })
    const value: unknown = await reply.json().catch(() => undefined)
    if (!reply.ok) {
      const answer = isObject(value) ? value : {}
      throw new ApiError(reply.status, stringOf(answer.code), stringOf(answer.error, `the host answered ${reply.status}`))
    }
    return isObject(value) ? value : {}
  }
}
