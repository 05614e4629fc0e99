export const languageNames = ['en', 'de', 'ja'] as const
/** A language of the page, as a BCP 47 tag. */
export type Language = (typeof languageNames)[number]

/** A language, and the locale of times and numbers: with the reader's region. */
export interface Choice {
  readonly language: Language
  readonly locale: string
}

/**
 * Chooses the first of the browser's languages that the page has, and English if there is none.
 *
 * @param asked The language in the address, which has priority; empty for none.
 * @param browser The browser's languages, in order of preference.
 */
export function chooseLanguage(asked: Language | '', browser: readonly string[]): Choice {
  const known = browser.flatMap((tag): Choice[] => {
    const language = languageNames.find((name) => name === tag.split('-', 1)[0]?.toLowerCase())
    return language === undefined || !isLocale(tag) ? [] : [{ language, locale: tag }]
  })
  const wanted = asked === '' ? known[0] : known.find(({ language }) => language === asked)
  return wanted ?? { language: asked || 'en', locale: asked || 'en' }
}

/** Reports whether a tag is a locale for times and numbers. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
