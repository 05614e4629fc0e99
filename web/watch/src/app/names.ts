import { text } from '../text/text.js'
import { clean } from '../town/prose.js'
import type { Thing } from '../world/things.js'

/** Characters that a reader sees nothing of, such as joiners and fillers. */
const unseen = /[\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu

/**
 * What to call somebody on the page: on one line, without characters that turn
 * the words around it, which a label or a title has no isolation against, and
 * never nothing.
 */
export function called(name: string): string {
  const shown = clean(name, 200)
  return shown.replace(unseen, '') === '' ? text('residents.unnamed') : shown
}

/** What to call a thing on the page. */
export function nameOf(thing: Thing): string {
  return called(thing.name)
}
