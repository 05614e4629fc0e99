import { called } from '../app/names.js'
import { parts } from '../text/text.js'
import type { Entry } from './entry.js'

/** Returns the sentence of an entry as text. */
export function sentenceOf({ sentence, values, name }: Pick<Entry, 'sentence' | 'values' | 'name'>): string {
  const given: Readonly<Record<string, string | number>> = { ...values, who: called(name) }
  return parts(sentence, values.count).map((part) => typeof part === 'string' ? part : String(given[part.name] ?? '')).join('')
}
