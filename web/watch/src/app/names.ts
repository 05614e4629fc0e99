import { text } from '../text/text.js'
import { calledBy } from './called.js'
import type { Thing } from '../world/things.js'

/** What to call somebody on the page. */
export function called(name: string): string {
  return calledBy(name, text)
}

/** What to call a thing on the page. */
export function nameOf(thing: Thing): string {
  return called(thing.name)
}
