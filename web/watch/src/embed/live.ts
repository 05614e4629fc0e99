import {
  PlayError, createClient, hasCode, noRetry, subscribeWorld, type Verification, type WorldEvent, type WorldSnapshot,
} from '@playctl/sdk'
import { passReader } from '../access/digest.js'
import { placeOf } from '../access/place.js'
import { sharedFetch } from '../tabs/fetch.js'
import { Recent } from '../world/recent.js'
import { reconnect, silenceMs } from '../world/reconnect.js'

/** The state of the town's connection. */
export type TownState = 'connecting' | 'live' | 'reconnecting' | 'refused' | 'ended'

export interface TownReports {
  readonly onWorld: (snapshot: WorldSnapshot) => void
  readonly onEvent: (event: WorldEvent) => void
  readonly onState: (state: TownState, verification: Verification, why?: Error) => void
}

const attribute = 'the attribute token of <playctl-town>'
const source = 'POST /play/watch/session'

/** The delay in milliseconds before the next request to a host that does not answer. */
const askAgain = 3000

/**
 * Follows a world until the signal aborts, by a pass to watch: the given one, or one from the host if watching
 * is free. A given pass is not replaced: the page that set it has to set another.
 *
 * @param host The host's address; empty for the origin of the script.
 */
export async function follow(host: string, given: string, reports: TownReports, signal: AbortSignal): Promise<void> {
  const script = new URL(/* @vite-ignore */ '.', import.meta.url)
  const { prefix, service } = placeOf(script.pathname)
  const address = host === '' ? { baseUrl: script.origin + prefix, service } : { baseUrl: host }
  let pass = given === '' ? undefined : given
  const known: { verification: Verification } = { verification: 'unread' }
  const say = (state: TownState, why?: Error): void => { if (!signal.aborted) reports.onState(state, known.verification, why && inTermsOfToken(why, given)) }
  try {
    // A link's token may allow actions, and the surrounding page can read it here.
    if (given.startsWith('pt_')) throw new TypeError(`${attribute} takes a pass to watch, not the token of a link: ${source} gives one for it`)
    if (/[^!-~]/.test(given)) throw new TypeError(`${attribute} has a line break, or another character that no pass has: ${source} gives a pass`)
    const client = createClient({ ...address, credentials: { pass: () => pass }, retry: noRetry, fetch: sharedFetch({ name: passReader(given) }) })
    pass ??= await entered(async () => (await client.watchPass(undefined, { signal })).pass, say, signal)
    const ending = new AbortController()
    let ended: Error | undefined
    const renew = async (error: Error): Promise<void> => {
      if (!refused(error)) return
      try {
        if (given !== '') throw error
        pass = (await client.watchPass(undefined, { signal })).pass
        subscription.reconnect()
      } catch (cause) {
        if (refused(cause)) { ended = cause; ending.abort() }
      }
    }
    const recent = new Recent()
    const subscription = subscribeWorld(client, {
      reconnect, silenceMs, signal: AbortSignal.any([signal, ending.signal]),
      onSnapshot: ({ snapshot }) => { reports.onWorld(snapshot) },
      onEvent: (event) => { if (recent.take(event)) reports.onEvent(event) },
      onState: (state) => {
        known.verification = state.verification
        say(state.connected ? 'live' : state.verification === 'unread' ? 'connecting' : 'reconnecting', state.lastError)
      },
      onError: (error) => renew(error),
    })
    await subscription.done
    if (ended !== undefined) say(known.verification === 'unread' ? 'refused' : 'ended', ended)
  } catch (cause) {
    say('refused', cause instanceof Error ? cause : new Error(String(cause)))
  }
}

function refused(cause: unknown): cause is Error {
  return cause instanceof PlayError && (cause.status === 401 || hasCode(cause, 'forbidden'))
}

/** Rewords an error of the client in terms of the attribute: the credentials that the client names cannot be set on the element, nor can its cookie. */
function inTermsOfToken(cause: Error, given: string): Error {
  const told = (message: string): Error => new Error(message, { cause })
  if (!(cause instanceof PlayError && cause.status === 401)) return cause
  if (given !== '') return told(`the pass in ${attribute} is wrong or has expired: ${source} gives another`)
  return told(`watching is not public on this host: ${attribute} takes a pass to watch, and ${source} gives one`)
}

/** Repeats a request until the host answers; a refusal is an error. */
async function entered(ask: () => Promise<string>, say: (state: TownState, why?: Error) => void, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await ask()
    } catch (cause) {
      if (signal.aborted || !(cause instanceof Error) || (cause instanceof PlayError && cause.status < 500)) throw cause
      say('connecting', cause)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, askAgain)
        signal.addEventListener('abort', () => { clearTimeout(timer); resolve() }, { once: true })
      })
    }
  }
}
