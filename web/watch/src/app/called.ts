import type { Teller } from '../text/teller.js'
import { clean } from '../town/prose.js'

/** Invisible characters, such as joiners and fillers. */
const unseen = /[\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu

/**
 * Returns the display name of an occupant in a language: on one line, without characters
 * that change the direction of the text around it, because a label or a title cannot be
 * isolated, and never empty.
 */
export function calledBy(name: string, tell: Teller<'residents.unnamed'>): string {
  const shown = clean(name, 200)
  return shown.replace(unseen, '') === '' ? tell('residents.unnamed') : shown
}
