/** The look of the page follows the system: light or dark, with or without motion, on any screen. */

import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { extent, map, settled } from './fixtures/map.js'
import { open, panel, resident, show } from './fixtures/town.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

/** Returns the lightness of the map, from 0 to 255: the mean of a thin sample of its pixels. */
const lightness = (page: Page): Promise<number> =>
  map(page).evaluate((canvas: HTMLCanvasElement) => {
    const small = document.createElement('canvas')
    small.width = small.height = 16
    const draw = small.getContext('2d')
    draw?.drawImage(canvas, 0, 0, 16, 16)
    const pixels = draw?.getImageData(0, 0, 16, 16).data ?? new Uint8ClampedArray()
    return pixels.reduce((sum, value, place) => sum + (place % 4 === 3 ? 0 : value), 0) / (pixels.length * 0.75)
  })

test('the town changes to the dark theme and back while it is shown', async ({ page, host, world }) => {
  await world.agent('Ada')
  await page.emulateMedia({ colorScheme: 'light' })
  await open(page, host)
  await expect.poll(() => lightness(page)).toBeGreaterThan(150)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(() => lightness(page)).toBeLessThan(90)
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(() => lightness(page)).toBeGreaterThan(150)
})

test('letters on a wall are enlarged in proportion to the town', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await world.agent('A name that is wider than who has it')
  await open(page, host)
  const width = async (): Promise<number> => {
    const { left, right } = await settled(page)
    return right - left
  }
  const usual = await width()
  await page.setViewportSize({ width: 2880, height: 1800 })
  await expect.poll(width).toBeGreaterThan(1.8 * usual)
})

for (const [what, viewport] of Object.entries({
  'the smallest phone': { width: 320, height: 568 },
  'a phone on its side': { width: 844, height: 390 },
})) {
  test(`${what} has room for everything: nothing is cut off, and the map is visible`, async ({ page, host, world }) => {
    await page.setViewportSize(viewport)
    const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } }
    await world.agent('Ada', { assistTools: [tool] })
    await open(page, host)
    const within = (): Promise<boolean> => page.evaluate(() =>
      document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('button, input, select, textarea, h2')].every((shown) => {
        const { left, right, width } = shown.getBoundingClientRect()
        return width === 0 || shown.closest('.skip') !== null || (left >= 0 && right <= innerWidth)
      }))
    for (const tab of ['places', 'happenings', 'residents'] as const) {
      await show(page, tab)
      expect(await within(), tab).toBe(true)
    }
    await resident(page, 'Ada').click()
    await panel(page, 'Ada').getByRole('button', { name: 'Route' }).click()
    expect(await within(), 'the panel').toBe(true)
    expect(await violations(page)).toEqual([])

    // The pointer's target at the figure is the map itself: no panel covers it.
    await expect.poll(async () => {
      const seen = await extent(page)
      if (seen === undefined) return 'nobody is in view'
      return page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.tagName, [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2] as const)
    }).toBe('CANVAS')
    await panel(page, 'Ada').getByRole('button', { name: en['page.close'] }).click()
  })
}

for (const [what, viewport] of Object.entries({
  'a page at 400 %': { width: 320, height: 256 },
  'a small phone on its side': { width: 740, height: 360 },
})) {
  test(`on ${what} every occupant is readable, and each part is reachable`, async ({ page, host, world }) => {
    await page.setViewportSize(viewport)
    for (const name of ['Ada', 'Grace', 'Alan']) await world.agent(name)
    await open(page, host)
    const covered = (): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll('.top button, .top > .status, [role=tab], .zoom button, .ticker, .timebar button, .person button')].flatMap((shown) => {
      const { left, top, width, height } = shown.getBoundingClientRect()
      if (width === 0) return []
      const met = document.elementFromPoint(left + width / 2, top + height / 2)
      return met !== null && (shown.contains(met) || met.contains(shown)) ? [] : [`${shown.textContent} under ${met?.outerHTML.slice(0, 80)}`]
    }))
    expect(await covered(), 'residents').toEqual([])
    await expect(resident(page, 'Ada')).toBeInViewport({ ratio: 0.9 })
    await resident(page, 'Grace').scrollIntoViewIfNeeded()
    await resident(page, 'Grace').click()
    const about = panel(page, 'Grace')
    await about.getByRole('tab', { name: en['panel.facts'] }).click()
    await about.getByText('langchain').first().scrollIntoViewIfNeeded()
    await expect(about.getByText('langchain').first()).toBeInViewport()
    await about.getByRole('button', { name: en['page.close'] }).click()
    await show(page, 'happenings')
    await page.getByRole('article').first().scrollIntoViewIfNeeded()
    await expect(page.getByRole('article').first()).toBeInViewport({ ratio: 0.9 })
    await page.getByRole('button', { name: en['page.hide'] }).click()
    expect(await covered(), 'the map').toEqual([])
    await page.getByRole('button', { name: en['past.show'], exact: true }).click()
    await expect(page.getByRole('slider', { name: en['past.moment'] })).toBeVisible()
    expect(await covered(), 'the time bar').toEqual([])
    await page.getByRole('button', { name: en['past.close'] }).click()
    await page.getByRole('button', { name: en['person.button'], exact: true }).click()
    await page.getByRole('textbox', { name: en['person.name'] }).fill('Robin')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('region', { name: en['person.bar'] })).toBeVisible()
    expect(await covered(), 'a walking person').toEqual([])
    await page.getByRole('button', { name: en['person.leave'] }).click()
    await page.getByRole('button', { name: en['page.show'] }).click()
    expect(await violations(page)).toEqual([])
  })
}
