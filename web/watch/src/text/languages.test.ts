import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { en } from './en.js'
import { chooseLanguage, languageNames, languages } from './languages.js'
import { list, number, speak, text, type Forms, type TextKey } from './text.js'
import { ago, clockTime, took, wholeTime } from './times.js'

const keys = Object.keys(en) as TextKey[]

/** The names of the values in a text, in order of the alphabet. */
const valuesOf = (pattern: string): string[] => [...new Set(pattern.match(/\{\w+\}/g))].sort()

const formsOf = (found: string | Forms): Readonly<Record<string, string>> => typeof found === 'string' ? { other: found } : found

/** What is the same in English and another language: names of formats, and texts that are made of values only. */
const same = new Set<TextKey>([
  'page.program', 'map.resident', 'map.doing', 'map.step', 'map.stepSaid', 'status.name', 'status.live', 'status.rev', 'story.json', 'story.markdown', 'residents.kind.agent',
  'panel.id', 'panel.positionOf', 'feed.text', 'amenity.supermarket', 'assist.optional', 'event.other', 'past.times', 'past.live', 'say.speech',
])

afterEach(() => { speak(en, 'en') })

for (const language of languageNames) {
  describe(`the words in ${language}`, () => {
    it('are complete, not empty and not left in English', async () => {
      const words = await languages[language].words()
      assert.deepEqual(Object.keys(words).sort(), [...keys].sort())
      for (const key of keys) for (const form of Object.values(formsOf(words[key]))) assert.match(form.replaceAll(/\{\w+\}/g, 'x'), /^[^\s{}]+( [^\s{}]+)*$/, key)
      if (language === 'en') return
      assert.deepEqual(keys.filter((key) => !same.has(key) && JSON.stringify(words[key]) === JSON.stringify(en[key])), [])
    })

    it('have the placeholders of the English ones, and all plural forms', async () => {
      const words = await languages[language].words()
      const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
      for (const key of keys) {
        const forms = formsOf(words[key])
        const wanted = valuesOf(formsOf(en[key]).other ?? '')
        assert.deepEqual(valuesOf(forms.other ?? ''), wanted, key)
        for (const form of Object.values(forms)) assert.deepEqual(valuesOf(form).filter((value) => !wanted.includes(value)), [], key)
        if (typeof en[key] !== 'string') assert.deepEqual(Object.keys(forms).sort(), [...pluralCategories].sort(), key)
      }
    })
  })
}

describe('the language of the page', () => {
  it('is the first supported language of the browser, with its region', () => {
    assert.deepEqual(chooseLanguage('', ['fr-FR', 'de-AT', 'en']), { language: 'de', locale: 'de-AT' })
    assert.deepEqual(chooseLanguage('', ['ja']), { language: 'ja', locale: 'ja' })
    assert.deepEqual(chooseLanguage('', ['den', 'fr']), { language: 'en', locale: 'en' })
    assert.deepEqual(chooseLanguage('', ['de_DE@euro', 'ja-JP']), { language: 'ja', locale: 'ja-JP' })
    assert.deepEqual(chooseLanguage('', []), { language: 'en', locale: 'en' })
  })

  it('is that of the address, if it states one', () => {
    assert.deepEqual(chooseLanguage('de', ['en-US', 'de-CH']), { language: 'de', locale: 'de-CH' })
    assert.deepEqual(chooseLanguage('ja', ['en-US']), { language: 'ja', locale: 'ja' })
  })

  it('determines the format of numbers, counts, lists and times', async () => {
    const at = new Date(2026, 0, 2, 15, 4, 5).getTime()
    speak(await languages.de.words(), 'de-DE')
    assert.equal(number(1234.5), '1.234,5')
    assert.equal(text('residents.count.agent', { count: 1 }), '1 Agent')
    assert.equal(text('residents.count.agent', { count: 1200 }), '1.200 Agenten')
    assert.equal(clockTime(at), '15:04:05')
    assert.match(wholeTime(at), /^0?2\.0?1\.2026/)
    assert.equal(ago(at, at + 120_000), 'vor 2 Minuten')
    assert.match(took(1500), /^1,5\s/)
    speak(await languages.ja.words(), 'ja')
    assert.equal(text('residents.count.agent', { count: 1 }), 'エージェント 1 体')
    assert.match(wholeTime(at), /^2026\/01\/02/)
    assert.equal(ago(at, at + 120_000), '2 分前')
    assert.doesNotMatch(list(['a', 'b']), /and/)
  })
})
