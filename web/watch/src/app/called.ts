import type { Teller } from '../text/teller.js'
import { clean } from '../town/prose.js'

/** Characters that a reader sees nothing of, such as joiners and fillers. */
const unseen = /[\p{Cf}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu

/**
 * What to call somebody, in the words of a language: on one line, without characters
 * that turn the words around it, which a label or a title has no isolation against,
 * and never nothing.
 */
export function calledBy(name: string, tell: Teller<'residents.unnamed'>): string {
  const shown = clean(name, 200)
  return shown.replace(unseen, '') === '' ? tell('residents.unnamed') : shown
}
