import { en } from './en.js'
import { filled, piecesOf, type Gap, type Teller } from './teller.js'

export type { Gap, Teller } from './teller.js'

/**
 * A translation: the same keys as English, with other texts. A text may have
 * values in braces. A text with forms has one for each plural category of its
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

/** The values of a text, by name; empty if it has none. */
export type Values<K extends TextKey, Value> = [Named<PatternOf<K>>] extends [never]
  ? []
  : [values: Readonly<Record<Named<PatternOf<K>>, Value>>]

let texts: Texts = en
let spoken = 'en'

/** Returns the locale of the texts, a BCP 47 tag with a region, for times, numbers, plurals and sorting. */
export function locale(): string {
  return spoken
}

/** Sets the language of the page; to be called before anything is shown, because shown texts do not change. */
export function speak(words: Texts, language: string): void {
  texts = words
  spoken = language
}

/** Returns a function that creates a value for the current locale, once for each locale. */
export function perLocale<Made>(make: (locale: string) => Made): () => Made {
  let last: { readonly locale: string, readonly made: Made } | undefined
  return () => {
    if (last?.locale !== spoken) last = { locale: spoken, made: make(spoken) }
    return last.made
  }
}

const plurals = perLocale((locale) => new Intl.PluralRules(locale))
const numbers = perLocale((locale) => new Intl.NumberFormat(locale))
const short = perLocale((locale) => new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }))
const dollars = perLocale((locale) => new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }))
const lists = perLocale((locale) => new Intl.ListFormat(locale, { type: 'unit' }))

/** Returns a text with its values filled in; numbers are formatted for the language. */
export const text: Teller = (key, ...[values]) => filled(texts[key], values, plurals, numbers)

/** Splits a text into parts, for callers that fill its gaps with elements. */
export function parts(key: TextKey, count?: unknown): readonly (string | Gap)[] {
  return piecesOf(texts[key], count, plurals)
}

/** Formats a number for the language. */
export function number(value: number): string {
  return numbers().format(value)
}

/** Formats a number for the language with two or three digits, as in "1.2M". */
export function compact(value: number): string {
  return short().format(value)
}

/** Formats an amount in US dollars. */
export function money(usd: number): string {
  return usd > 0 && usd < 0.005 ? `<${dollars().format(0.01)}` : dollars().format(usd)
}

/** Formats a list for the language. */
export function list(words: readonly string[]): string {
  return lists().format(words)
}
