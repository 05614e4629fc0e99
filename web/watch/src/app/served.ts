import { placeOf } from '../access/place.js'
import { text } from '../text/text.js'

/** What the host wrote into the page beside its words; empty where it wrote nothing. */
function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="playctl-${name}"]`)?.content ?? ''
}

/** What the world is called. */
export const worldName = (): string => written('world') || text('page.title')

/** The name of the recording that the page was served to show, empty where it shows a world. */
export const servedRecording = (): string => written('recording')

/** Whether the host has accounts, without which nobody puts an agent on the map. */
export const hasAccounts = (): boolean => written('accounts') !== 'none'

/** The host's address, as its commands take it. */
export const hostAddress = (): string => location.origin + placeOf(location.pathname).prefix
