/** What tabs say to all tabs that share a stream. */
export type Call =
  /** I would lead, unless a tab leads or a better one would. */
  | { readonly say: 'claim', readonly by: string, readonly rank: string, readonly term: number }
  | { readonly say: 'lead', readonly by: string, readonly rank: string, readonly term: number }
  /** I no longer lead; the stream was open. */
  | { readonly say: 'bye', readonly by: string }
  /** My stream has ended, by this error or without one; `text` is what came instead of a first position. */
  | { readonly say: 'end', readonly by: string, readonly error: string | undefined, readonly text: string }

/** The end of the stream of a tab, by an error or cleanly. */
export function endOf(by: string, cause?: Error, text = ''): Call & { say: 'end' } {
  return { say: 'end', by, error: cause?.message, text }
}

/** What a tab says to the leader: that it reads the events after a position, or after the last one. */
export interface Want {
  readonly by: string
  readonly turn: number
  readonly after: number | undefined
}

/** What the leader answers. */
export type Answer =
  /** There is nothing yet; if not `open`, no stream either. */
  | { readonly is: 'here', readonly turn: number, readonly open: boolean }
  | { readonly is: 'events', readonly turn: number, readonly text: string, readonly seq: number }
  /** The events after the position are not kept: those after `from` are. */
  | { readonly is: 'gone', readonly turn: number, readonly from: number }

/** One end of a channel between tabs. */
export interface Wire {
  post: (message: Call | Want | Answer) => void
  close: () => void
}

/** Opens channels between the tabs of an origin. Each channel has messages of one type. */
export type OpenWire = (name: string, receive?: (message: never) => void) => Wire

/** Opens a channel of the browser. Only pages of the same origin can have sent what it receives. */
export const openWire: OpenWire = (name, receive) => {
  const channel = new BroadcastChannel(name)
  if (receive !== undefined) channel.onmessage = (event: MessageEvent<unknown>) => { receive(event.data as never) }
  return { post: (message) => { channel.postMessage(message) }, close: () => { channel.close() } }
}

/** Whether people see the page, and whether it runs: browsers freeze pages, and keep left ones to go back to. */
export interface Life {
  readonly visible: boolean
  readonly awake: boolean
  /** Calls a function after each change; returns a function that ends that. */
  listen: (changed: () => void) => () => void
}

/** The life of this page. */
export function lifeOfPage(): Life {
  const listeners = new Set<() => void>()
  const life = {
    visible: true, awake: true,
    listen: (changed: () => void) => {
      listeners.add(changed)
      return () => { listeners.delete(changed) }
    },
  }
  const become = (awake?: boolean) => (): void => {
    life.visible = document.visibilityState === 'visible'
    // A page that is left becomes hidden after that.
    life.awake = awake ?? life.awake
    for (const changed of listeners) changed()
  }
  become()()
  document.addEventListener('visibilitychange', become())
  document.addEventListener('resume', become(true))
  document.addEventListener('freeze', become(false))
  addEventListener('pageshow', become(true))
  addEventListener('pagehide', become(false))
  return life
}
