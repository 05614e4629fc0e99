import { text } from '../text/text.js'
import type { Thing } from '../world/rows.js'
import { clamp } from '../feed/entry.js'

/** What to call a thing on the page, however long its name is. */
export function nameOf(thing: Thing): string {
  const name = thing.name.trim()
  return name === '' ? text('residents.unnamed') : clamp(name, 200)
}
