import { PlayError, createClient, noRetry, type WatchScope, type WorldClient } from '@playctl/sdk'

/** Where the page is served from, and so where its host's routes are. */
export interface Place {
  /** The path before the service name, mostly empty. */
  readonly prefix: string
  /** The service name in the paths: play, or that of an older service. */
  readonly service: string
}

/** Reads a page's path: /play/watch, below a prefix where a proxy has one. */
export function placeOf(path: string): Place {
  const found = /^(.*)\/([^/]+)\/watch\/?$/.exec(path)
  return { prefix: found?.[1] ?? '', service: found?.[2] ?? 'play' }
}

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

function passing(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  if (pass !== undefined) headers.set('x-watch-pass', pass)
  return fetch(input, { ...init, headers })
}

/** Takes the token out of a fragment such as #token=pt_x; undefined if there is none. */
export function tokenIn(fragment: string): string | undefined {
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('token')
  return token === null || token === '' ? undefined : token
}

/** How long a host may take to answer a person, in milliseconds. */
const timeoutMs = 15_000

/** A client of the host that served the page; the browser adds the cookie. A failure is shown at once: people repeat. */
export function pageClient({ prefix, service }: Place): WorldClient {
  return createClient({ baseUrl: location.origin + prefix, service, credentials: { cookie: true }, retry: noRetry, timeoutMs, ...(framed && { fetch: passing }) })
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
