import { PlayError, createClient, noRetry, type WatchScope, type WorldClient } from '@playctl/sdk'
import type { Place } from './place.js'

/** Whether the page is in a frame: no cookie of it gets to the host then, and it may only look. */
export const framed = globalThis.top !== globalThis.self

/** What a page in a frame shows instead of a cookie. */
let pass: string | undefined
/** Whether the address gave it: then there may be no other. */
let given = false

/** Takes the pass that the page of the frame put into its address behind #pass=; undefined if there is none. */
export function passIn(fragment: string): string | undefined {
  const given = new URLSearchParams(fragment.replace(/^#/, '')).get('pass')
  return given === null || given === '' ? undefined : given
}

/** Shows a pass with every request from here on. */
export function showPass(value: string): void {
  pass = value
  given = true
}

/** Whether the page was opened with a pass. */
export const cameByPass = (): boolean => given

/** Takes the token out of a fragment such as #token=pt_x; undefined if there is none. */
export function tokenIn(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token')
  return token === null || token === '' ? undefined : token
}

/** How long a host may take to answer a person, in milliseconds. */
const timeoutMs = 15_000

/** A client of the host that served the page; the browser adds the cookie, and in a frame the pass counts. A failure is shown at once: people repeat. */
export function pageClient({ prefix, service }: Place): WorldClient {
  return createClient({ baseUrl: location.origin + prefix, service, credentials: framed ? { pass: () => pass } : { cookie: true }, retry: noRetry, timeoutMs })
}

/** Asks for a cookie, or whether there is one that is good: what it allows. */
export async function access(client: WorldClient, token?: string): Promise<WatchScope> {
  if (framed) {
    if (given) await client.session()
    else pass = (await client.watchPass(token)).pass
    return 'watch'
  }
  return (await client.watchSession(token)).scope === 'act' ? 'act' : 'watch'
}

/** The status of a refusal, 0 for a host that is silent. */
export function statusOf(error: unknown): number {
  return error instanceof PlayError ? error.status : 0
}
