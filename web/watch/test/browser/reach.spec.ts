/** The page is accessible: by keyboard, by screen reader, on a phone, in dark mode, without motion. */

import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, part, resident, show } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

for (const [name, options] of Object.entries({
  'in the light': { colorScheme: 'light' as const },
  'in the dark': { colorScheme: 'dark' as const },
  'on a phone': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
})) {
  test.describe(name, () => {
    test.use(options)

    test('every part is accessible', { tag: '@usual' }, async ({ page, host, world }) => {
      const ada = await world.agent('Ada', {
        enableP2a: 'on',
        assistTools: [
          { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } },
        ],
      })
      await world.mcp('weather')
      await world.space('The garden')
      await world.say(ada, 'Good morning')
      await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
      await open(page, host)
      expect(await violations(page), 'the town').toEqual([])
      await resident(page, 'Ada').click()
      const about = panel(page, 'Ada')
      await expect(about).toBeVisible()
      for (const name of ['facts', 'story'] as const) {
        await part(page, name)
        expect(await violations(page), name).toEqual([])
      }
      await expect(about.getByRole('listitem').getByText('Good morning')).toBeVisible()
      await part(page, 'talk')
      expect(await violations(page), 'the panel').toEqual([])
      await about.getByRole('button', { name: 'Route' }).click()
      await part(page, 'story')
      await about.getByRole('button', { name: en['journey.next'] }).click()
      expect(await violations(page), 'a form, and a step of a journey').toEqual([])
      await about.getByRole('button', { name: en['page.close'] }).click()
      for (const tab of ['places', 'happenings'] as const) {
        await show(page, tab)
        expect(await violations(page), tab).toEqual([])
      }
      await show(page, 'places')
      for (const place of ['weather', 'The garden']) {
        await page.getByRole('button', { name: place, exact: true }).first().click()
        await expect(panel(page, place)).toBeVisible()
        expect(await violations(page), place).toEqual([])
        await panel(page, place).getByRole('button', { name: en['page.close'] }).click()
      }
    })
  })
}

test('axe detects a violation', { tag: '@usual' }, async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await page.evaluate(() => {
    document.querySelector('main')?.append(document.createElement('button'))
  })
  expect((await violations(page)).join()).toContain('button-name')
})

for (const [colorScheme, ink] of [['light', '#b8b2a4'], ['dark', '#4a4f66']] as const) {
  test.describe(`with letters that are too ${colorScheme}`, () => {
    test.use({ colorScheme })

    test('axe detects it in the lists and in the panel', async ({ page, host, world }) => {
      await world.say(await world.agent('Ada'), 'Good morning')
      await open(page, host)
      await page.evaluate((color) => { document.documentElement.style.setProperty('--ink-soft', color) }, ink)
      const seen = async (where: string): Promise<void> => { expect((await violations(page)).filter((found) => found.startsWith('color-contrast') && found.includes(where))).not.toEqual([]) }
      await seen('soft')
      await show(page, 'happenings')
      await seen('<time')
      await show(page, 'residents')
      await resident(page, 'Ada').click()
      await part(page, 'facts')
      await seen('<dt')
    })
  })
}

test('two residents with the same name have different accessible descriptions', async ({ page, host, world }) => {
  await world.agent('Ada', { type: 'langchain' })
  await world.agent('Ada', { type: 'crewai' })
  await open(page, host)
  await expect(resident(page, 'Ada')).toHaveCount(2)
  await expect(resident(page, 'Ada').first()).toHaveAccessibleDescription(/^langchain · at \d+, \d+$/)
  await expect(resident(page, 'Ada').last()).toHaveAccessibleDescription(/^crewai · at \d+, \d+$/)
})

test('letters have the size of the browser setting', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const name = resident(page, 'Ada')
  const size = (): Promise<number> => name.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))
  const usual = await size()
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 24 } })
  await expect.poll(async () => await size() / usual).toBeCloseTo(1.5)
})

test('on a phone with large letters every button is complete and uncovered', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await world.agent('Ada')
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 28 } })
  await open(page, host)
  await expect(resident(page, 'Ada')).toBeVisible()
  const buttons = page.locator('.top button, .tabs button')
  expect(await buttons.count()).toBeGreaterThan(5)
  expect(await buttons.evaluateAll((all) => all.flatMap((button) => {
    const { left, right, top, bottom, width } = button.getBoundingClientRect()
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    const whole = left >= 0 && right <= innerWidth && button.scrollWidth <= Math.ceil(width)
    return width === 0 || (whole && above !== null && button.contains(above)) ? [] : [`${button.textContent}: ${left} to ${right}, over it ${above?.className}`]
  }))).toEqual([])
})

test('a phone has no horizontal scrolling, and the page has a title and a description', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await world.agent('A name that is longer than any phone is wide, and goes on and on')
  await open(page, host)
  await expect(page.getByRole('heading', { level: 1, name: en['page.title'] })).toBeAttached()
  expect(await page.locator('meta[name=description]').getAttribute('content')).toMatch(/\w+ of AI agents/)
  const colors = await page.locator('meta[name=theme-color]').evaluateAll((all) => all.map((meta) => meta.getAttribute('content')))
  expect(colors, 'the frame of the window has the color of the land').toContain(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()))
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('a phone hides the panels and shows them again, also by keyboard', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await world.agent('Ada')
  await open(page, host)
  await page.getByRole('button', { name: en['page.hide'] }).click()
  await expect(resident(page, 'Ada')).toBeHidden()
  await page.getByRole('button', { name: en['page.show'] }).press('Enter')
  await expect(resident(page, 'Ada')).toBeVisible()
})

test('the keyboard reaches a resident, and Escape returns', { tag: '@usual' }, async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const ada = resident(page, 'Ada')
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(ada).toBeFocused({ timeout: 1 })
  }).toPass({ intervals: [0] })
  await page.keyboard.press('Enter')
  const about = panel(page, 'Ada')
  await expect(about).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
  await expect(ada).toBeFocused()
})

/** Returns the longest duration of the browser's transitions and animations, in milliseconds. */
const longestMotion = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as { longestMotion: number }).longestMotion)

for (const [reducedMotion, what] of [['reduce', 'nothing is animated'], ['no-preference', 'the panel slides in']] as const) {
  test.describe(`with ${reducedMotion === 'reduce' ? 'reduced' : 'full'} motion`, () => {
    test.use({ contextOptions: { reducedMotion } })

    test(what, async ({ page, host, world }) => {
      await page.addInitScript(() => {
        const seen = globalThis as unknown as { longestMotion: number }
        seen.longestMotion = 0
        for (const kind of ['animationstart', 'transitionrun']) {
          document.addEventListener(kind, ({ target }) => {
            for (const motion of target instanceof Element ? target.getAnimations() : []) {
              const { duration } = motion.effect?.getComputedTiming() ?? {}
              seen.longestMotion = Math.max(seen.longestMotion, Number(duration))
            }
          })
        }
      })
      const ada = await world.agent('Ada')
      await open(page, host)
      await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
      await world.agent('Grace')
      await resident(page, 'Grace').click()
      await panel(page, 'Grace').getByRole('button', { name: en['page.close'] }).hover()
      await resident(page, 'Ada').click()
      await part(page, 'story')
      await expect(panel(page, 'Ada').getByText('The blue one.').first()).toBeVisible()
      // An animation that started with the panel is reported by the next frame.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      if (reducedMotion === 'reduce') expect(await longestMotion(page)).toBeLessThanOrEqual(1)
      else expect(await longestMotion(page)).toBeGreaterThan(100)
    })
  })
}
