/** The overview in the corner of the map: the way back to the residents. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { Fingers, extent, map } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { open, reached } from './fixtures/town.js'
import type { World } from './fixtures/world.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

const overview = (page: Page): Locator => page.getByRole('button', { name: en['map.overview'] })

async function addAgents(world: World, count = 12): Promise<void> {
  for (let number = 1; number <= count; number++) await world.agent(`Agent ${number}`)
}

/** Zooms in until most of the town is out of view. */
async function zoomIn(page: Page): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await page.getByRole('button', { name: en['map.zoomIn'] }).click()
}

/** Returns the picture of the map, after pending changes are drawn. */
async function picture(page: Page): Promise<string> {
  return map(page).evaluate(async (canvas: HTMLCanvasElement) => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return canvas.toDataURL()
  })
}

/** Counts how often the overview is painted, by the frame at the end of each paint, the only one on any canvas. */
async function countPaints(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { paints: number }
    counted.paints = 0
    const { prototype } = CanvasRenderingContext2D
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const stroke = prototype.strokeRect
    prototype.strokeRect = function (...box) {
      counted.paints += 1
      stroke.apply(this, box)
    }
  })
  return () => page.evaluate(() => (globalThis as unknown as { paints: number }).paints)
}

test('is shown while an occupant is out of view; a click, a drag and Enter move the view', async ({ page, host, world }) => {
  await addAgents(world)
  await open(page, host)
  await reached(page, (await world.head()).rev)
  await expect(overview(page), 'every occupant is in view').toBeHidden()
  await zoomIn(page)
  await expect(overview(page)).toBeVisible()
  expect(await violations(page)).toEqual([])
  const { x = 0, y = 0, width = 0, height = 0 } = await overview(page).boundingBox() ?? {}
  const near = await picture(page)
  await page.mouse.click(x + 20, y + 20)
  await expect.poll(() => picture(page)).not.toBe(near)
  const corner = await picture(page)
  await page.mouse.move(x + 20, y + 20)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 })
  expect(await picture(page)).not.toBe(corner)
  await page.mouse.move(x + 20, y + 20, { steps: 4 })
  expect(await picture(page), 'the frame is back where the drag started').toBe(corner)
  await page.mouse.up()
  await overview(page).focus()
  await page.keyboard.press('Enter')
  await expect(overview(page), 'it stays while it is used').toBeVisible()
  await page.keyboard.press('Tab')
  await expect(overview(page)).toBeHidden()
  expect(await extent(page)).toBeDefined()
})

test('is after the map in the tab order, and arrow keys move the map', async ({ page, host, world }) => {
  await addAgents(world)
  await open(page, host)
  await zoomIn(page)
  await map(page).focus()
  await page.keyboard.press('Tab')
  await expect(overview(page)).toBeFocused()
  await expect(overview(page)).toHaveAccessibleDescription(en['map.overviewHow'])
  const before = await picture(page)
  await page.keyboard.press('ArrowRight')
  expect(await picture(page)).not.toBe(before)
  await page.keyboard.press('ArrowLeft')
  expect(await picture(page)).toBe(before)
})

test('is painted only if its content has changed', async ({ page, host, world }) => {
  const paints = await countPaints(page)
  const ada = await world.agent('Ada')
  await addAgents(world, 11)
  await open(page, host)
  await reached(page, (await world.head()).rev)
  await zoomIn(page)
  await expect(overview(page)).toBeVisible()
  const still = await picture(page)
  const before = await paints()
  expect(before).toBeGreaterThan(0)
  await world.say(ada, 'The third chapter of the blue one.')
  await map(page).hover({ position: { x: 700, y: 300 } })
  await picture(page)
  expect(await paints(), 'speech is not on it').toBe(before)
  await map(page).focus()
  await page.keyboard.press('Shift+ArrowRight')
  expect(await picture(page)).not.toBe(still)
  expect(await paints(), 'the camera is on it').toBeGreaterThan(before)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 640 }, hasTouch: true })

  test('has its position without the panels, and accepts touch', async ({ page, host, world }) => {
    await addAgents(world)
    await open(page, host)
    await zoomIn(page)
    await expect(overview(page), 'there is no room for it').toBeHidden()
    await page.getByRole('button', { name: en['page.hide'] }).tap()
    await zoomIn(page)
    const { x = 0, y = 0, width = 0, height = 0 } = await overview(page).boundingBox() ?? {}
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    const zoom = await page.locator('.zoom').boundingBox()
    expect(y + height).toBeLessThanOrEqual(zoom?.y ?? 0)
    const before = await picture(page)
    await page.touchscreen.tap(x + 15, y + 15)
    await expect.poll(() => picture(page)).not.toBe(before)
    const corner = await picture(page)
    const fingers = await Fingers.on(page)
    await fingers.drag([{ x: x + 15, y: y + 15 }, { x: x + width - 15, y: y + height - 15 }])
    await expect.poll(() => picture(page)).not.toBe(corner)
  })
})
