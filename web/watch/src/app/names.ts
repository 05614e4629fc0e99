import { text } from '../text/text.js'
import { calledBy } from './called.js'
import type { Thing } from '../world/things.js'

/** Returns the display name of an occupant on the page. */
export function called(name: string): string {
  return calledBy(name, text)
}

/** Returns the display name of a thing on the page. */
export function nameOf(thing: Thing): string {
  return called(thing.name)
}
