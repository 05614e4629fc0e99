import type { Language } from './choice.js'
import { en } from './en.js'
import type { Texts } from './text.js'

export { chooseLanguage, languageNames, type Choice, type Language } from './choice.js'

/** A language: its reading direction, and its texts, which are loaded when they are needed. */
interface Spoken {
  readonly direction: 'ltr' | 'rtl'
  readonly words: () => Texts | Promise<Texts>
}

export const languages: Readonly<Record<Language, Spoken>> = {
  en: { direction: 'ltr', words: () => en },
  de: { direction: 'ltr', words: async () => (await import('./de.js')).de },
  ja: { direction: 'ltr', words: async () => (await import('./ja.js')).ja },
}
