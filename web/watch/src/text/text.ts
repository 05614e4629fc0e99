import { en } from './en.js'

/**
 * A translation: the same keys as English with other words. A text may have
 * values in braces. One with forms has one for each plural category of its
 * language, chosen by {count}.
 */
export type Forms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>
export type Texts = { readonly [key in TextKey]: (typeof en)[key] extends string ? string : Forms }

export type TextKey = keyof typeof en

/** The names of the values in braces. */
type Named<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never
type PatternOf<K extends TextKey> = (typeof en)[K] extends string
  ? (typeof en)[K]
  : (typeof en)[K] extends { readonly other: infer Other extends string } ? Other : never

/** The values that a text needs, by name; nothing where it needs none. */
export type Values<K extends TextKey, Value> = [Named<PatternOf<K>>] extends [never]
  ? []
  : [values: Readonly<Record<Named<PatternOf<K>>, Value>>]

let texts: Texts = en
let spoken = 'en'

/** The language of the words with its region, as BCP 47 has it, for times, numbers, plurals and orders. */
export function locale(): string {
  return spoken
}

/** Has the page speak another language from here on; before anything is shown, as what is shown stays. */
export function speak(words: Texts, language: string): void {
  texts = words
  spoken = language
}

/** Gives what a function makes for the language that the page speaks, and makes it once. */
export function perLocale<Made>(make: (locale: string) => Made): () => Made {
  let last: { readonly locale: string, readonly made: Made } | undefined
  return () => {
    if (last?.locale !== spoken) last = { locale: spoken, made: make(spoken) }
    return last.made
  }
}

const plurals = perLocale((locale) => new Intl.PluralRules(locale))
const numbers = perLocale((locale) => new Intl.NumberFormat(locale))
const lists = perLocale((locale) => new Intl.ListFormat(locale, { type: 'unit' }))

/** Gives a text with its values filled in; numbers are written as the language does. */
export function text<K extends TextKey>(key: K, ...[values]: Values<K, string | number>): string {
  const given = (values ?? {}) as Readonly<Record<string, string | number>>
  return parts(key, given.count).map((part) => {
    if (typeof part === 'string') {
      return part
    }
    const value = given[part.name] ?? ''
    return typeof value === 'number' ? numbers().format(value) : value
  }).join('')
}

/** A place in a text where a value goes. */
export interface Gap {
  readonly name: string
}

/** Takes a text apart, for those who fill its gaps with more than words. */
export function parts(key: TextKey, count?: unknown): readonly (string | Gap)[] {
  const found: string | Forms = texts[key]
  const pattern = typeof found === 'string' ? found : formFor(found, count)
  return pattern.split(/(\{\w+\})/).filter((piece) => piece !== '').map((piece) =>
    /^\{\w+\}$/.test(piece) ? { name: piece.slice(1, -1) } : piece,
  )
}

function formFor(forms: Forms, count: unknown): string {
  return (typeof count === 'number' ? forms[plurals().select(count)] : undefined) ?? forms.other
}

/** Writes a number as the language does. */
export function number(value: number): string {
  return numbers().format(value)
}

/** Writes a list as the language does. */
export function list(words: readonly string[]): string {
  return lists().format(words)
}
