import { placeOf } from '../access/place.js'
import { text } from '../text/text.js'

/** Returns a value that the host wrote into the page; empty if there is none. */
function written(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="playctl-${name}"]`)?.content ?? ''
}

/** Returns the name of the world. */
export const worldName = (): string => written('world') || text('page.title')

/** Returns the name of the recording that the page was served to show; empty if it shows a world. */
export const servedRecording = (): string => written('recording')

/** Reports whether the host has accounts, which are then necessary for putting an agent on the map. */
export const hasAccounts = (): boolean => written('accounts') !== 'none'

/** Returns the host's address, as commands accept it. */
export const hostAddress = (): string => location.origin + placeOf(location.pathname).prefix
