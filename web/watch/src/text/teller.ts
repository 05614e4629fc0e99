import type { Forms, TextKey, Values } from './text.js'

/** Returns a text with its values filled in; numbers are formatted for the language. */
export type Teller<Key extends TextKey = TextKey> = <K extends Key>(key: K, ...values: Values<K, string | number>) => string

/** Returns a function for texts in one language, whatever the language of the page. */
export function teller<Key extends TextKey>(words: Readonly<Record<Key, string | Forms>>, locale: string): Teller<Key> {
  const rules = new Intl.PluralRules(locale)
  const format = new Intl.NumberFormat(locale)
  return (key, ...[values]) => filled(words[key], values, () => rules, () => format)
}

/** Fills the gaps of a text. */
export function filled(words: string | Forms, values: unknown, rules: () => Intl.PluralRules, format: () => Intl.NumberFormat): string {
  const given = (values ?? {}) as Readonly<Record<string, string | number>>
  return piecesOf(words, given.count, rules).map((part) => {
    if (typeof part === 'string') {
      return part
    }
    const value = given[part.name] ?? ''
    return typeof value === 'number' ? format().format(value) : value
  }).join('')
}

/** A gap in a text for a value. */
export interface Gap {
  readonly name: string
}

/** Splits a text into its words and the gaps between them. */
export function piecesOf(found: string | Forms, count: unknown, rules: () => Intl.PluralRules): readonly (string | Gap)[] {
  const pattern = typeof found === 'string' ? found : formFor(found, count, rules)
  return pattern.split(/(\{\w+\})/).filter((piece) => piece !== '').map((piece) =>
    /^\{\w+\}$/.test(piece) ? { name: piece.slice(1, -1) } : piece,
  )
}

function formFor(forms: Forms, count: unknown, rules: () => Intl.PluralRules): string {
  return (typeof count === 'number' ? forms[rules().select(count)] : undefined) ?? forms.other
}
