/** Where the connection to the host stands. */
export type LinkState = 'connecting' | 'live' | 'reconnecting' | 'host-gone' | 'resetting' | 'ended'

/** The connection, and when it is tried again. */
export interface Link {
  readonly state: LinkState
  /** Since when there is no connection, in milliseconds since 1970; undefined while there is one. */
  readonly downSince: number | undefined
  /** How often it was tried in vain since. */
  readonly attempts: number
  /** When it is tried next; undefined while it is being tried. */
  readonly retryAt: number | undefined
}

/** What happens to a connection. */
export type LinkEvent =
  | { readonly is: 'opened' }
  | { readonly is: 'lost', readonly now: number, readonly retryAt: number }
  | { readonly is: 'trying' }
  | { readonly is: 'reset' }
  | { readonly is: 'ended' }

/** A host that is silent for so long, in milliseconds, is called gone. */
export const goneAfter = 15_000

export const firstLink: Link = { state: 'connecting', downSince: undefined, attempts: 0, retryAt: undefined }

/** The connection after something happened to it. */
export function nextLink(link: Link, event: LinkEvent): Link {
  switch (event.is) {
    case 'opened': return { state: 'live', downSince: undefined, attempts: 0, retryAt: undefined }
    case 'trying': return { ...link, retryAt: undefined }
    case 'reset': return { ...link, state: 'resetting', retryAt: undefined }
    case 'ended': return { ...link, state: 'ended', retryAt: undefined }
    case 'lost': {
      const downSince = link.downSince ?? event.now
      const state = event.now - downSince >= goneAfter ? 'host-gone' : 'reconnecting'
      return { state, downSince, attempts: link.attempts + 1, retryAt: event.retryAt }
    }
  }
}

/** How long to wait before the next attempt, in milliseconds; chance is from 0 to 1. */
export function backOff(attempts: number, chance: number): number {
  const longest = Math.min(500 * 2 ** Math.min(attempts, 10), 10_000)
  return longest / 2 + (longest / 2) * chance
}
