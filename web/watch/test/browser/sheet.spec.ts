/** The sheet of a phone: dragged by a finger, moved by keys, and pulled down to close it. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { Fingers } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident, residents } from './fixtures/town.js'

test.use({ repository: false, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, contextOptions: { reducedMotion: 'reduce' } })

const grip = (page: Page): Locator => page.getByRole('separator', { name: en['page.grip'] })

const topOf = async (shown: Locator): Promise<number> => (await shown.boundingBox())?.y ?? NaN

/** Drags from the middle of an element to a height of the screen. */
async function drag(page: Page, from: Locator, to: number): Promise<void> {
  const { x, y, width, height } = await from.boundingBox() ?? { x: NaN, y: NaN, width: NaN, height: NaN }
  const middle = { x: x + width / 2, y: y + height / 2 }
  await (await Fingers.on(page)).drag([middle, { x: middle.x, y: to }])
}

test('it is dragged by its header, which keeps its tabs, and closes at the bottom', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const sheet = page.getByRole('region', { name: en['page.world'] })
  const before = await topOf(sheet)
  await drag(page, page.getByRole('tab', { name: en['tab.places'] }), 220)
  expect(await topOf(sheet)).toBeLessThan(before - 150)
  await expect(page.getByRole('tab', { name: en['tab.residents'] }), 'a drag does not select a tab').toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('button', { name: en['page.hide'] }), 'there is no room above it').toBeHidden()
  expect(await topOf(sheet), 'the top bar stays visible').toBeGreaterThanOrEqual(await page.locator('.status').evaluate((status) => status.getBoundingClientRect().bottom))
  expect(await violations(page)).toEqual([])
  await page.getByRole('tab', { name: en['tab.places'] }).tap()
  await expect(page.getByRole('tab', { name: en['tab.places'] })).toHaveAttribute('aria-selected', 'true')
  await drag(page, grip(page), 620)
  expect(await topOf(sheet)).toBeGreaterThan(before + 50)
  await expect(page.getByRole('button', { name: en['page.hide'] })).toBeVisible()
  await drag(page, grip(page), 820)
  await expect(sheet).toBeHidden()
  await page.getByRole('button', { name: en['page.show'] }).tap()
  expect(await topOf(sheet)).toBe(before)
})

test('a panel is dragged too, and its buttons still work', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').tap()
  const about = panel(page, 'Ada')
  const before = await topOf(about)
  await drag(page, about.getByRole('heading', { name: 'Ada' }), 500)
  expect(await topOf(about)).toBeGreaterThan(before + 100)
  const follow = about.getByRole('button', { name: en['panel.follow'], exact: true })
  await follow.tap()
  await expect(follow).toHaveAttribute('aria-pressed', 'true')
  await drag(page, about.getByRole('heading', { name: 'Ada' }), 830)
  await expect(about).toBeHidden()
  await expect(residents(page)).toBeVisible()
})

test('keys move it, within its bounds', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const height = async (): Promise<number> => Number(await grip(page).getAttribute('aria-valuenow'))
  await grip(page).focus()
  const before = await height()
  await page.keyboard.press('ArrowUp')
  expect(await height()).toBeGreaterThan(before)
  await page.keyboard.press('End')
  const most = await height()
  await page.keyboard.press('ArrowUp')
  expect(await height()).toBe(most)
  await page.keyboard.press('Home')
  expect(await height()).toBe(20)
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(grip(page), 'beside the map there is nothing to drag').toBeHidden()
})
