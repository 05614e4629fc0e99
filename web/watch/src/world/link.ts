import type { SubscriptionState } from '@playctl/sdk'

/** The state of the connection to the host. */
export type LinkState = 'connecting' | 'live' | 'reconnecting' | 'host-gone' | 'resetting' | 'ended' | 'recording'

/** The connection, and the time of the next attempt. */
export interface Link {
  readonly state: LinkState
  /** When the connection was lost, in milliseconds since 1970; undefined while there is one. */
  readonly downSince: number | undefined
  /** When the next attempt starts; undefined during an attempt. */
  readonly retryAt: number | undefined
}

/** After this time without a connection, in milliseconds, the host is shown as gone. */
export const goneAfter = 15_000

export const firstLink: Link = { state: 'connecting', downSince: undefined, retryAt: undefined }
const live: Link = { state: 'live', downSince: undefined, retryAt: undefined }

/** Returns the connection by the state of the client's subscription; the same object if nothing changed. */
export function nextLink(link: Link, { connected, retryAt }: Pick<SubscriptionState, 'connected' | 'retryAt'>, now: number): Link {
  if (connected) return link.state === 'live' ? link : live
  if (retryAt === link.retryAt) return link
  if (retryAt === undefined) return { ...link, retryAt }
  // A new session ends the streams of the session before: that is no loss yet.
  if (link.state === 'resetting' && link.downSince === undefined) return { ...link, downSince: now, retryAt }
  const downSince = link.downSince ?? now
  return { state: now - downSince >= goneAfter ? 'host-gone' : 'reconnecting', downSince, retryAt }
}
