import { en } from './en.js'
import { filled, piecesOf, type Gap, type Teller } from './teller.js'

export type { Gap, Teller } from './teller.js'

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
export const text: Teller = (key, ...[values]) => filled(texts[key], values, plurals, numbers)

/** Takes a text apart, for those who fill its gaps with more than words. */
export function parts(key: TextKey, count?: unknown): readonly (string | Gap)[] {
  return piecesOf(texts[key], count, plurals)
}

/** Writes a number as the language does. */
export function number(value: number): string {
  return numbers().format(value)
}

/** Writes a list as the language does. */
export function list(words: readonly string[]): string {
  return lists().format(words)
}
