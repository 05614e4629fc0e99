import { PlayError, createClient, noRetry, type WatchScope, type WatchSessionReply, type WorldClient } from '@playctl/sdk'
import { sharedFetch } from '../tabs/fetch.js'
import { CookieNote } from './cookie.js'
import { digestOf, passReader } from './digest.js'
import type { Place } from './place.js'

/** Whether the page is in a frame: then the host gets no cookie, and the page is read-only. */
export const framed = globalThis.top !== globalThis.self

/** The pass that a page in a frame sends instead of a cookie. */
let pass: string | undefined
/** Whether the pass came from the address: then no other one is requested. */
let given = false

/** Returns the pass that the surrounding page put into the address behind #pass=; undefined if there is none. */
export function passIn(fragment: string): string | undefined {
  const given = new URLSearchParams(fragment.replace(/^#/, '')).get('pass')
  return given === null || given === '' ? undefined : given
}

/** Sends a pass with every request from now on. */
export function showPass(value: string): void {
  pass = value
  given = true
}

/** Reports whether the page was opened with a pass. */
export const cameByPass = (): boolean => given

/** Returns the token in a fragment such as #token=pt_x; undefined if there is none. */
export function tokenIn(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token')
  return token === null || token === '' ? undefined : token
}

/** The timeout for a request by a person, in milliseconds. */
const timeoutMs = 15_000

/** Returns a client of the host that served the page; the browser adds the cookie, and in a frame the pass is sent. A failure is shown at once: people retry. */
export function pageClient({ prefix, service }: Place): WorldClient {
  cookie = new CookieNote(`${prefix}/${service}`)
  const credentials = framed ? { pass: () => pass } : { cookie: true } as const
  return createClient({ baseUrl: location.origin + prefix, service, credentials, retry: noRetry, timeoutMs, fetch: sharedFetch(framed ? { get name() { return passReader(shown) } } : cookie) })
}

let cookie = new CookieNote('')

/** What the page in a frame has its pass from; empty if the host gives one freely. */
let shown = ''

/** Requests a cookie, or checks the present one, and returns the scope. */
export async function access(client: WorldClient, token?: string): Promise<WatchScope> {
  if (framed) {
    shown = given ? pass ?? '' : token ?? shown
    if (given) await client.session()
    else pass = (await client.watchPass(token)).pass
    return 'watch'
  }
  return (await admit(client, token)).scope === 'act' ? 'act' : 'watch'
}

/** Requests a cookie. A link that is opened again changes none: other tabs read with it, and may wait for an answer. */
async function admit(client: WorldClient, token: string | undefined): Promise<WatchSessionReply> {
  const source = token === undefined ? '' : digestOf(token)
  if (token === undefined || cookie.is(source)) {
    const present = client.watchSession()
    const reply = token === undefined ? await present : await present.catch(() => undefined)
    if (reply !== undefined) cookie.see(reply.expiresAt)
    if (reply !== undefined && (token === undefined || cookie.is(source, reply.expiresAt))) return reply
  }
  const reply = await client.watchSession(token)
  cookie.note(source, reply.expiresAt)
  return reply
}

/** Returns the status of a refusal, 0 if the host did not answer. */
export function statusOf(error: unknown): number {
  return error instanceof PlayError ? error.status : 0
}
