/** The town itself: drawn, at rest when nothing happens, and accessible by keyboard. */

import type { Page } from '@playwright/test'
import { map } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, part, resident } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false })

/** Returns how many frames the page has requested since it was opened. */
const frames = (page: Page): Promise<number> => page.evaluate(() => (globalThis as unknown as { frames: number }).frames)

/** Counts the frames of the page from its start; its clock triggers them. */
async function countFrames(page: Page): Promise<void> {
  await page.clock.install()
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { frames: number }
    counted.frames = 0
    const ask = globalThis.requestAnimationFrame.bind(globalThis)
    globalThis.requestAnimationFrame = (callback) => {
      counted.frames += 1
      return ask(callback)
    }
  })
}

/**
 * Advances the page's clock until the town requests no more frames: there is none within a second.
 * By that clock a frame takes the same time on a busy machine as on any other.
 */
async function waitForRest(page: Page): Promise<void> {
  await expect(async () => {
    const before = await frames(page)
    await page.clock.runFor(1000)
    expect(await frames(page)).toBe(before)
  }).toPass({ intervals: [0], timeout: 30_000 })
}

test.describe('the canvas', () => {
  test.beforeEach(({ page }) => countFrames(page))

  test('shows arrivals, and draws no frames before and after', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    await waitForRest(page)
    const before = await map(page).screenshot()
    await world.agent('Grace')
    await expect(resident(page, 'Grace')).toBeVisible()
    await waitForRest(page)
    expect((await map(page).screenshot()).equals(before)).toBe(false)
  })

  test('is animated during a journey', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await open(page, host)
    await waitForRest(page)
    const before = await frames(page)
    await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
    await expect(async () => {
      await page.clock.runFor(200)
      expect((await frames(page)) - before).toBeGreaterThan(60)
    }).toPass({ intervals: [0], timeout: 30_000 })
    await waitForRest(page)
  })

  test.describe('with reduced motion', () => {
    test.use({ contextOptions: { reducedMotion: 'reduce' } })

    test('shows a journey without animation', async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      await open(page, host)
      await resident(page, 'Ada').click()
      await part(page, 'story')
      await page.clock.runFor(5_000)
      const before = await frames(page)
      const picture = await map(page).screenshot()
      await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
      await expect(panel(page, 'Ada').getByText('The blue one.').first()).toBeVisible()
      await expect.poll(async () => (await map(page).screenshot()).equals(picture)).toBe(false)
      // It stands at each step in turn, with a frame or two for each, and is home again.
      await page.clock.runFor(30_000)
      expect((await frames(page)) - before).toBeLessThan(25)
    })
  })
})

test('the keyboard moves over the map and selects', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await map(page).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(panel(page, 'Ada')).toBeVisible()
})

test.describe('on a screen with 1.5 device pixels per pixel', () => {
  test.use({ deviceScaleFactor: 1.5 })
  test.beforeEach(({ page }) => countFrames(page))

  test('the ground is copied pixel by pixel while a person moves the map', async ({ page, host, world }) => {
    await world.agent('Ada')
    // Records the positions of bitmaps as large as the window, in pixels of the canvas.
    await page.addInitScript(() => {
      const { prototype } = CanvasRenderingContext2D
      const own = Object.getOwnPropertyDescriptor(prototype, 'drawImage')?.value as (...all: unknown[]) => void
      const put: number[][] = []
      Object.assign(globalThis, { put })
      prototype.drawImage = function (this: CanvasRenderingContext2D, picture: HTMLCanvasElement, ...at: number[]) {
        const { a, d, e, f } = this.getTransform()
        const [x = 0, y = 0, w = 0, h = 0] = at
        if (picture.width >= this.canvas.width) put.push([a * x + e, d * y + f, a * w - picture.width, d * h - picture.height])
        own.call(this, picture, ...at)
      }
    })
    await open(page, host)
    await waitForRest(page)
    await page.evaluate(() => { (globalThis as unknown as { put: number[][] }).put.length = 0 })
    await page.mouse.move(700, 400)
    await page.mouse.down()
    for (let step = 1; step <= 12; step++) {
      await page.mouse.move(700 - 7 * step, 400 - 5 * step)
      await page.clock.runFor(50)
    }
    await page.mouse.up()
    const put = await page.evaluate(() => (globalThis as unknown as { put: number[][] }).put)
    expect(new Set(put.map(([x, y]) => `${x},${y}`)).size).toBeGreaterThan(5)
    for (const value of put.flat()) expect(Math.abs(value - Math.round(value))).toBeLessThan(0.001)
    for (const [, , wider, higher] of put) expect([wider, higher].map((by) => Math.abs(by ?? 1) < 0.001)).toEqual([true, true])
  })
})
