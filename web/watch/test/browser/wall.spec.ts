/** The view for a wall screen: no controls, and a camera that moves by itself. */

import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { extent, map } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { verified } from './fixtures/town.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

const wall = '/play/watch?view=wall'

/** Waits until the town is shown and verified. */
async function proved(page: Page): Promise<void> {
  await expect(page.locator('.truth')).toHaveText(`${en['status.live']}${en['status.verified']}`)
}

/** Reports whether the camera shows only some of the residents; then the page has an overview, which is hidden on a wall screen. */
const near = async (page: Page): Promise<boolean> => await page.locator('.overview:not([hidden])').count() > 0

/** Returns the picture of the map after the page's clock has advanced a little. */
async function picture(page: Page): Promise<string> {
  await page.clock.runFor(200)
  return map(page).evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
}

for (const [name, viewport] of Object.entries({ 'a screen': { width: 1280, height: 800 }, 'a phone': { width: 360, height: 640 } })) {
  test.describe(`on ${name}`, () => {
    test.use({ viewport })

    test('has a clock, the newest line in large letters, and no buttons, also after a reload', async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      await page.goto(host.url + wall)
      await proved(page)
      await page.reload()
      await proved(page)
      await expect(page.getByRole('button')).toHaveCount(0)
      await expect(page.getByRole('heading', { name: en['page.title'] })).toBeVisible()
      await expect(page.locator('.clock time')).toHaveText(/^\d\d:\d\d/)
      await world.say(ada, 'The **third** chapter of the blue one.')
      const line = page.locator('.latest p')
      await expect(line).toHaveText('Ada The third chapter of the blue one.')
      expect(await line.evaluate((element) => parseFloat(getComputedStyle(element).fontSize))).toBeGreaterThanOrEqual(20)
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      expect(new URL(page.url()).search).toBe('?view=wall')
    })
  })
}

test('on a phone with large letters the clock is below the name', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 28 } })
  await world.agent('Ada')
  await page.goto(host.url + wall)
  await proved(page)
  const [sign, clock] = [await page.locator('.sign').boundingBox(), await page.locator('.clock').boundingBox()]
  if (sign === null || clock === null) throw new Error('the sign or the clock is not shown')
  expect(sign.width).toBeGreaterThan(sign.height)
  expect(sign.y + sign.height).toBeLessThanOrEqual(clock.y)
  expect(clock.x + clock.width).toBeLessThanOrEqual(390)
})

test('the camera moves to the speaker, and back to all occupants when nothing happens', async ({ page, host, world }) => {
  await page.clock.install()
  const ids: string[] = []
  for (let number = 1; number <= 12; number++) ids.push(await world.agent(`Agent ${number}`))
  await page.goto(host.url + wall)
  await proved(page)
  await page.clock.runFor(2000)
  expect(await near(page)).toBe(false)
  const before = await picture(page)
  await world.say(ids[3] ?? '', 'The river is high.')
  await expect(page.locator('.latest')).toHaveText('Agent 4 The river is high.')
  await page.clock.runFor(2000)
  expect(await near(page)).toBe(true)
  expect(await picture(page)).not.toBe(before)
  await page.clock.runFor(40_000)
  await expect(page.locator('.overview:not([hidden])')).toHaveCount(0)
  await expect.poll(() => picture(page)).toBe(before)
  await expect(page.locator('.latest'), 'an old line is not shown as the newest').toHaveText('')
})

test('a click selects nothing, the pointer is hidden, and Escape shows the panels', async ({ page, host, world }) => {
  await page.clock.install()
  await world.agent('Ada')
  await page.goto(`${host.url}${wall}&lang=en`)
  await proved(page)
  const { left, right, top, bottom } = await extent(page) ?? { left: 0, right: 0, top: 0, bottom: 0 }
  await map(page).click({ position: { x: (left + right) / 2, y: (top + bottom) / 2 } })
  await expect(page.getByRole('complementary')).toHaveCount(0)
  await page.clock.runFor(4000)
  expect(await map(page).evaluate((canvas) => getComputedStyle(canvas).cursor)).toBe('none')
  await page.mouse.move(300, 300)
  await expect.poll(() => map(page).evaluate((canvas) => getComputedStyle(canvas).cursor)).not.toBe('none')
  await page.keyboard.press('Escape')
  await verified(page)
  expect(new URL(page.url()).search).toBe('?lang=en')
  await expect(page.getByRole('complementary')).toHaveCount(0)
})

test('reports outdated information', async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(/Failed to load resource|ERR_/)
  await world.agent('Ada')
  await page.goto(host.url + wall)
  await proved(page)
  await host.kill()
  await expect(page.locator('.truth')).toContainText(/Verified at \d\d:\d\d:\d\d/)
  await expect(page.locator('.truth')).not.toContainText(en['status.live'])
})
