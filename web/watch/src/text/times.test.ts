import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { de } from './de.js'
import { en } from './en.js'
import { ja } from './ja.js'
import { speak } from './text.js'
import { clockTime, wholeTime } from './times.js'

describe('a day and a time', () => {
  for (const [locale, words] of [['en-US', en], ['de', de], ['ja', ja]] as const) {
    it(`has the same time format as the rest of the page, in ${locale}`, (test) => {
      test.after(() => { speak(en, 'en') })
      speak(words, locale)
      for (const hour of [0, 9, 12, 21]) {
        const at = new Date(2026, 0, 2, hour, 31, 44).getTime()
        const [day, time] = [wholeTime(at), clockTime(at).replace(/^0/, '')]
        assert.ok(day.endsWith(time), `${day} does not end with ${time}`)
      }
    })
  }
})
