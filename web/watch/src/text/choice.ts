export const languageNames = ['en', 'de', 'ja'] as const
/** A language that the page speaks, as BCP 47 names it. */
export type Language = (typeof languageNames)[number]

/** A language, and how times and numbers are written in it: with the region that its reader has. */
export interface Choice {
  readonly language: Language
  readonly locale: string
}

/**
 * Chooses the first of the browser's languages that the page has, and English where it has none.
 *
 * @param asked The language that the address asks for instead; empty for none.
 * @param browser The browser's languages, the most wanted first.
 */
export function chooseLanguage(asked: Language | '', browser: readonly string[]): Choice {
  const known = browser.flatMap((tag): Choice[] => {
    const language = languageNames.find((name) => name === tag.split('-', 1)[0]?.toLowerCase())
    return language === undefined || !isLocale(tag) ? [] : [{ language, locale: tag }]
  })
  const wanted = asked === '' ? known[0] : known.find(({ language }) => language === asked)
  return wanted ?? { language: asked || 'en', locale: asked || 'en' }
}

/** Reports whether times and numbers can be written as a tag says. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
