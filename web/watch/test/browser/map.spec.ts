/** The town itself: drawn, at rest when nothing happens, and within reach of the keyboard. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident } from './fixtures/town.js'
import { stroll } from './fixtures/world.js'

const map = (page: Page): Locator => page.getByRole('application', { name: en['page.map'] })

/** Waits until the town asks for no frame any more: the whole of one look is without any. */
async function rest(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => {
      const counted = globalThis as unknown as { frames: number }
      const asked = counted.frames
      counted.frames = 0
      return asked
    }), { intervals: [500] })
    .toBe(0)
}

test.describe('the canvas', () => {
  test.beforeEach(async ({ page }) => {
    await page.addInitScript(() => {
      const counted = globalThis as unknown as { frames: number }
      counted.frames = 0
      const ask = globalThis.requestAnimationFrame.bind(globalThis)
      globalThis.requestAnimationFrame = (callback) => {
        counted.frames += 1
        return ask(callback)
      }
    })
  })

  test('shows who comes, and is at rest before and after', async ({ page, host, world }) => {
    test.slow()
    await world.agent('Ada')
    await open(page, host)
    await rest(page)
    const before = await map(page).screenshot()
    await world.agent('Grace')
    await expect(resident(page, 'Grace')).toBeVisible()
    await rest(page)
    expect((await map(page).screenshot()).equals(before)).toBe(false)
  })

  test('moves while a journey is walked', async ({ page, host, world }) => {
    test.slow()
    const ada = await world.agent('Ada')
    await open(page, host)
    await rest(page)
    await world.journey(ada, stroll('Which book?', 'The blue one.'))
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as { frames: number }).frames)).toBeGreaterThan(20)
    await rest(page)
  })
})

test('the keyboard walks over the map and selects', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await map(page).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(panel(page, 'Ada')).toBeVisible()
})
