import type { SubscriptionState } from '@playctl/sdk'

/** Where the connection to the host stands. */
export type LinkState = 'connecting' | 'live' | 'reconnecting' | 'host-gone' | 'resetting' | 'ended' | 'recording'

/** The connection, and when it is tried again. */
export interface Link {
  readonly state: LinkState
  /** Since when there is no connection, in milliseconds since 1970; undefined while there is one. */
  readonly downSince: number | undefined
  /** When it is tried next; undefined while it is being tried. */
  readonly retryAt: number | undefined
}

/** A host that is silent for so long, in milliseconds, is called gone. */
export const goneAfter = 15_000

export const firstLink: Link = { state: 'connecting', downSince: undefined, retryAt: undefined }
const live: Link = { state: 'live', downSince: undefined, retryAt: undefined }

/** The connection as the client's subscription has it now; the same where nothing changed. */
export function nextLink(link: Link, { connected, retryAt }: Pick<SubscriptionState, 'connected' | 'retryAt'>, now: number): Link {
  if (connected) return link.state === 'live' ? link : live
  if (retryAt === link.retryAt) return link
  if (retryAt === undefined) return { ...link, retryAt }
  // A new session ends the streams of the one before: that is no loss yet.
  if (link.state === 'resetting' && link.downSince === undefined) return { ...link, downSince: now, retryAt }
  const downSince = link.downSince ?? now
  return { state: now - downSince >= goneAfter ? 'host-gone' : 'reconnecting', downSince, retryAt }
}
