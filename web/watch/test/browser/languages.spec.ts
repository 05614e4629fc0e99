/** The page in its languages: chosen by the browser or the address, and loaded only when needed. */

import type { Locator, Page } from '@playwright/test'
import { de } from '../../src/text/de.js'
import { en } from '../../src/text/en.js'
import { ja } from '../../src/text/ja.js'
import type { TextKey, Texts } from '../../src/text/text.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { verified } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** A text without values. */
const say = (words: Texts, key: TextKey): string => words[key] as string

/** Waits until the page shows, in its language, that its copy is verified. */
async function live(page: Page, words: Texts): Promise<void> {
  const corner = page.getByRole('region', { name: say(words, 'status.name') })
  await expect(corner).toHaveAttribute('data-connection', 'live')
  await expect(corner).toHaveAttribute('data-verified', 'verified')
  await expect(corner.getByText(say(words, 'status.verified'), { exact: true })).toBeVisible()
}

const tab = (page: Page, words: Texts, key: TextKey): Locator => page.getByRole('tab', { name: say(words, key), exact: true })

/** The elements whose text is cut off, or that extend beyond the window. */
const cut = (page: Page): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll('button:not(.skip, .said, .row, .ticker), h2, dt')].flatMap((shown) => {
  const { left, right, width } = shown.getBoundingClientRect()
  const whole = width === 0 || (shown.scrollWidth <= shown.clientWidth + 1 && left >= 0 && right <= innerWidth) || getComputedStyle(shown).display === 'inline'
  return whole ? [] : [`${shown.tagName} ${shown.textContent}`]
}))

for (const { name, words, lang, locale, phone, day } of [
  { name: 'German', words: de, lang: 'de', locale: 'de-DE', phone: false, day: /\d\d?\.\d\d?\.\d{4}, \d\d:\d\d:\d\d/ },
  { name: 'German on a phone', words: de, lang: 'de', locale: 'de-AT', phone: true, day: /\d\d?\.\d\d?\.\d{4}, \d\d:\d\d:\d\d/ },
  { name: 'Japanese', words: ja, lang: 'ja', locale: 'ja-JP', phone: false, day: /\d{4}\/\d\d\/\d\d \d?\d:\d\d:\d\d/ },
]) {
  test.describe(`in ${name}`, () => {
    test.use({ locale, ...(phone ? { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true } : {}) })

    test('every part is translated, with its dates and numbers, and accessible', async ({ page, host, world }) => {
      const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] } }
      const raw = { name: 'assist_raw', description: '', parameters: { $ref: '#/elsewhere' } }
      const ada = await world.agent('Ada', { assistTools: [tool, raw] })
      await world.say(ada, 'Good morning')
      await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
      await page.goto(`${host.url}/play/watch`)
      await live(page, words)
      await expect(page.locator('html')).toHaveAttribute('lang', lang)
      await expect(page.locator('html')).toHaveAttribute('dir', 'ltr')
      await expect(page, 'counts use the plural forms of the language').toHaveTitle(lang === 'de' ? /, 1 Agent$/ : /、エージェント 1 体$/)
      expect(await violations(page), 'the town').toEqual([])
      expect(await cut(page), 'the town').toEqual([])

      await tab(page, words, 'tab.places').click()
      await expect(page.getByText(say(words, 'places.none'))).toBeVisible()
      await tab(page, words, 'tab.happenings').click()
      await expect(page.getByRole('feed', { name: say(words, 'feed.title') })).toContainText(lang === 'de' ? 'Ada ist 4 Schritte gereist' : 'Ada が 4 ステップの旅をしました')
      await expect(page.getByRole('combobox', { name: say(words, 'feed.kind') })).toContainText(say(words, 'kind.presence'))
      expect(await violations(page), 'the feed').toEqual([])
      expect(await cut(page), 'the feed').toEqual([])

      await tab(page, words, 'tab.residents').click()
      await page.getByRole('list', { name: say(words, 'tab.residents') }).getByRole('button', { name: 'Ada' }).click()
      const about = page.getByRole('complementary', { name: 'Ada' })
      expect((await about.getByRole('heading', { name: 'Ada' }).boundingBox())?.height, 'the name has room beside the buttons').toBeLessThan(40)
      await about.getByRole('button', { name: 'Route' }).click()
      await about.getByRole('form').getByRole('button', { name: say(words, 'assist.send') }).click()
      await expect(about.getByText(say(words, 'field.missing'))).toBeVisible()
      await about.getByRole('button', { name: 'Raw' }).click()
      await expect(about.getByText(say(words, 'assist.wholeJsonWhy'))).toBeVisible()
      for (const part of ['talk', 'story', 'facts'] as const) {
        await about.getByRole('tab', { name: say(words, `panel.${part}`) }).click()
        if (part === 'story') await expect(about.locator('time').filter({ hasText: day }).first(), 'a day as it is written there').toBeVisible()
        expect(await violations(page), part).toEqual([])
        expect(await cut(page), part).toEqual([])
      }
      await about.getByRole('button', { name: say(words, 'page.close'), exact: true }).click()
      await page.getByRole('button', { name: say(words, 'past.show'), exact: true }).click()
      await expect(page.getByRole('slider', { name: say(words, 'past.moment') })).toHaveAttribute('aria-valuetext', day)
      expect(await violations(page), 'the time bar').toEqual([])
      expect(await cut(page), 'the time bar').toEqual([])
    })
  })
}

test.describe('with a German keyboard', () => {
  test.use({ locale: 'de-DE' })

  test('a resident is found, asked and closed by keyboard only', async ({ page, host, world }) => {
    await world.agent('Ada')
    await world.agent('Grace')
    await page.goto(`${host.url}/play/watch`)
    await live(page, de)
    const tabTo = async (wanted: Locator): Promise<void> => {
      for (let press = 0; press < 60; press++) {
        await page.keyboard.press('Tab')
        if (await wanted.evaluate((element) => element === document.activeElement)) return
      }
      throw new Error(`60 presses of Tab do not lead to ${String(wanted)}`)
    }
    await tabTo(page.getByRole('link', { name: say(de, 'page.skip') }))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: say(de, 'page.world') })).toBeFocused()
    expect(new URL(page.url()).hash, 'the address has no fragment, which would take the focus on the way back').toBe('')
    await tabTo(page.getByRole('searchbox', { name: say(de, 'residents.find') }))
    await page.keyboard.type('ada')
    const row = page.getByRole('list', { name: say(de, 'tab.residents') }).getByRole('button', { name: 'Ada' })
    await tabTo(row)
    await page.keyboard.press('Enter')
    const about = page.getByRole('complementary', { name: 'Ada' })
    await expect(about.getByRole('heading', { name: 'Ada' })).toBeFocused()
    await tabTo(about.getByRole('textbox', { name: 'Nachricht an Ada' }))
    await page.keyboard.type('Guten Morgen')
    await page.keyboard.press('Enter')
    await expect(about.getByRole('article').getByText('Guten Morgen')).toBeVisible()
    await tabTo(about.getByRole('tab', { name: say(de, 'panel.talk') }))
    await page.keyboard.press('ArrowRight')
    await expect(about.getByRole('tab', { name: say(de, 'panel.story') })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(about).toBeHidden()
    await expect(row).toBeFocused()
  })
})

test.describe('the address', () => {
  test.use({ locale: 'en-US', repository: false })

  test('selects a language, which only then is kept in links', async ({ page, host, world }) => {
    await world.agent('Ada')
    await page.goto(`${host.url}/play/watch?lang=de`)
    await live(page, de)
    await page.getByRole('list', { name: say(de, 'tab.residents') }).getByRole('button', { name: 'Ada' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('agent')).not.toBeNull()
    expect(new URL(page.url()).searchParams.get('lang')).toBe('de')
    await page.reload()
    await live(page, de)
    await page.goto(`${host.url}/play/watch?lang=tlh`)
    await verified(page)
    await page.getByRole('list', { name: en['tab.residents'] }).getByRole('button', { name: 'Ada' }).click()
    await expect.poll(() => [...new URL(page.url()).searchParams.keys()]).toEqual(['agent'])
  })
})

test.describe('the initial load', () => {
  test.use({ locale: 'en-GB', repository: false })

  test('is less than 115 kB, without unused languages', { tag: '@usual' }, async ({ page, host, world }) => {
    await world.agent('Ada')
    const loaded: Promise<{ url: string, bytes: number }>[] = []
    page.on('requestfinished', (request) => {
      const url = new URL(request.url())
      if (url.pathname.startsWith('/play/watch')) loaded.push(request.sizes().then(({ responseBodySize }) => ({ url: url.pathname, bytes: responseBodySize })))
    })
    await page.goto(`${host.url}/play/watch`)
    await verified(page)
    const files = await Promise.all(loaded)
    expect(files.filter(({ url }) => /\.(js|css)$/.test(url)).length).toBeGreaterThan(1)
    expect(files.filter(({ url }) => /\/(de|ja)\.js$/.test(url))).toEqual([])
    expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(115_000)
    await page.goto(`${host.url}/play/watch?lang=ja`)
    await live(page, ja)
    expect((await Promise.all(loaded)).flatMap(({ url }) => /\/(de|ja)\.js$/.exec(url)?.[1] ?? [])).toEqual(['ja'])
  })
})
