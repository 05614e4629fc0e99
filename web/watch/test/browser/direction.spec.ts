/** The page where reading begins at the right. No language of the page does yet, so the test turns the page by itself. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { extent } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show } from './fixtures/town.js'
import { stroll } from './fixtures/world.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

const turn = (page: Page): Promise<void> => page.evaluate(() => { document.documentElement.dir = 'rtl' })

/** What of the page is beyond the window or cut off. */
const outside = (page: Page): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, h2, dt, dd')].flatMap((shown) => {
  const { left, right, width } = shown.getBoundingClientRect()
  return width === 0 || shown.closest('.skip') !== null || (left >= 0 && right <= innerWidth) ? [] : [`${shown.tagName} ${shown.textContent} ${left} to ${right}`]
}))

const middle = async (element: Locator): Promise<number> => {
  const box = await element.boundingBox()
  return box === null ? NaN : box.x + box.width / 2
}

for (const [what, viewport] of Object.entries({ 'a wide screen': { width: 1280, height: 800 }, 'a phone': { width: 360, height: 640 } })) {
  test(`${what} from right to left is whole, and what is first is at the right`, async ({ page, host, world }) => {
    await page.setViewportSize(viewport)
    const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } }
    const ada = await world.agent('Ada', { assistTools: [tool] })
    await world.say(ada, 'Good morning')
    await world.journey(ada, stroll('Which book?', 'The blue one.'))
    await open(page, host)
    await turn(page)
    const wide = viewport.width > 820
    const tabs = page.getByRole('tablist', { name: en['page.world'] })
    if (wide) expect(await middle(tabs), 'the list is at the right').toBeGreaterThan(viewport.width / 2)
    expect(await middle(tabs.getByRole('tab').first())).toBeGreaterThan(await middle(tabs.getByRole('tab').last()))
    await tabs.getByRole('tab').first().focus()
    await page.keyboard.press('ArrowLeft')
    await expect(tabs.getByRole('tab', { name: en['tab.places'] }), 'an arrow goes where it points').toBeFocused()
    await page.getByRole('button', { name: en['past.show'], exact: true }).click()
    await expect(page.getByRole('slider', { name: en['past.moment'] })).toBeVisible()
    expect(await outside(page), 'the bar of time').toEqual([])
    await page.getByRole('button', { name: en['past.close'] }).click()
    await show(page, 'happenings')
    await expect(feed(page).getByText('Good morning')).toBeVisible()
    expect(await outside(page), 'the feed').toEqual([])

    await show(page, 'residents')
    await resident(page, 'Ada').click()
    const about = panel(page, 'Ada')
    if (wide) expect(await middle(about), 'the panel is at the left').toBeLessThan(viewport.width / 2)
    await about.getByRole('button', { name: 'Route' }).click()
    expect(await outside(page), 'the panel').toEqual([])
    for (const part of ['facts', 'story'] as const) {
      await about.getByRole('tab', { name: en[`panel.${part}`] }).click()
      expect(await outside(page), part).toEqual([])
    }
    expect(await page.evaluate(() => [...document.querySelectorAll('html, .page, .register, .tabpanel, .panel, .scroll')].every((box) => box.scrollWidth <= box.clientWidth)), 'nothing scrolls sideways').toBe(true)
    expect(await violations(page)).toEqual([])
    // What a pointer meets at the figure is the map itself: no panel covers it.
    await expect.poll(async () => {
      const seen = await extent(page)
      if (seen === undefined) return 'nobody is in view'
      return page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.tagName, [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2] as const)
    }).toBe('CANVAS')
  })
}
