import { Member } from './member.js'
import { lifeOfPage, openWire, type Life, type OpenWire } from './wire.js'

/** The identity with which a page reads a stream: pages share one only if the host sends both the same. */
export interface Reader {
  /** Who reads at present; not a secret. */
  readonly name: string
  /** Calls a function when a stream that was opened before has to be opened again. */
  listen?: (changed: () => void) => void
}

/** What a page shares a stream by; others in tests. */
export interface Sharing {
  readonly openWire: OpenWire
  readonly life: () => Life
  readonly fetch: typeof globalThis.fetch
}

const lastEventId = 'last-event-id'

let life: Life | undefined
const ofBrowser: Sharing = {
  openWire, life: () => life ??= lifeOfPage(), fetch: (input, init) => globalThis.fetch(input, init),
}

/**
 * Returns a `fetch` for a client of which all tabs of the origin that read the same stream have one connection: over
 * HTTP/1.1 a browser has only six to a host. Other requests are sent as they are. Where tabs cannot talk to each other,
 * each has its own connection.
 */
export function sharedFetch(reader: Reader, { openWire: open, life: lives, fetch } = ofBrowser): typeof globalThis.fetch {
  let last: { readonly member: Member, readonly url: string } | undefined
  const groupOf = (url: string): string => `playctl 1 ${url} ${reader.name}`
  const move = (): void => { last?.member.move(groupOf(last.url)) }
  reader.listen?.(move)
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    const { signal } = init
    if (headers.get('accept') !== 'text/event-stream' || typeof BroadcastChannel === 'undefined' || !signal) {
      // What this request causes is for the reader of now, so the stream has to be that one's.
      move()
      return fetch(input, init)
    }
    const asked = headers.get(lastEventId)
    const url = input instanceof Request ? input.url : String(input)
    const member = new Member(open, groupOf(url), lives(), asked === null ? undefined : Number(asked), (after, ending) => {
      if (after !== undefined) headers.set(lastEventId, String(after))
      return fetch(input, { ...init, headers, signal: ending })
    })
    last = { member, url }
    const close = (): void => { member.close(signal.reason instanceof Error ? signal.reason : new TypeError('the event stream was closed')) }
    if (signal.aborted) close()
    signal.addEventListener('abort', close, { once: true })
    try {
      const first = await member.next()
      if (!(first instanceof Response)) return new Response(bodyOf(member, first, close), { headers: { 'content-type': 'text/event-stream' } })
      close()
      return first
    } catch (error) {
      close()
      throw error
    }
  }
}

/** Returns a body that reads on only when its reader does, so that it holds one part at most. */
function bodyOf(member: Member, first: string | undefined, close: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const next = async (controller: ReadableStreamDefaultController<Uint8Array>, text: Promise<string | Response | undefined>): Promise<void> => {
    try {
      const part = await text
      if (typeof part === 'string') {
        controller.enqueue(encoder.encode(part))
        return
      }
      controller.close()
    } catch (error) {
      controller.error(error)
    }
    close()
  }
  return new ReadableStream<Uint8Array>({
    start: (controller) => next(controller, Promise.resolve(first)),
    pull: (controller) => next(controller, member.next()),
    cancel: close,
  }, { highWaterMark: 0 })
}
