/** The page with reading direction from right to left. No language of the page has it yet, so the test sets it. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { extent } from './fixtures/map.js'
import { bar, enter } from './fixtures/person.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show, status } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

const setRightToLeft = (page: Page): Promise<void> => page.evaluate(() => { document.documentElement.dir = 'rtl' })

/** The elements of the page that extend beyond the window. */
const outside = (page: Page): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, h2, dt, dd')].flatMap((shown) => {
  const { left, right, width } = shown.getBoundingClientRect()
  return width === 0 || shown.closest('.skip') !== null || (left >= 0 && right <= innerWidth) ? [] : [`${shown.tagName} ${shown.textContent} ${left} to ${right}`]
}))

/**
 * The controls within an element whose middle is covered by another element. It waits for a frame
 * first: until then a new entry of a list is not rendered (`content-visibility` in `layout.css`),
 * and the point of its button is the entry's.
 */
const covered = (page: Page, within = 'body'): Promise<string[]> => page.evaluate(async (selector) => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  return [...document.querySelectorAll(`${selector} :is(button, input, select, textarea)`)].flatMap((shown) => {
    const { left, top, width, height } = shown.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    let inView = width > 0 && shown.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    for (let box: Element | null = shown; box !== null; box = box.parentElement) {
      const { left, right, top, bottom } = box.getBoundingClientRect()
      if (getComputedStyle(box).overflow !== 'visible' && (x < left || x > right || y < top || y > bottom)) inView = false
    }
    const above = document.elementFromPoint(x, y)
    return !inView || above === null || shown.contains(above) ? [] : [`${shown.getAttribute('aria-label') ?? shown.textContent} is below ${above.outerHTML.slice(0, 80)}`]
  })
}, within)

const middle = async (element: Locator): Promise<number> => {
  const box = await element.boundingBox()
  return box === null ? NaN : box.x + box.width / 2
}

for (const [what, viewport] of Object.entries({ 'a wide screen': { width: 1280, height: 800 }, 'a phone': { width: 360, height: 640 } })) {
  test(`${what} from right to left is complete, with the first part at the right`, async ({ page, host, world }) => {
    await page.setViewportSize(viewport)
    const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } }
    const ada = await world.agent('Ada', { assistTools: [tool] })
    await world.say(ada, 'Good morning')
    await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
    await open(page, host)
    await setRightToLeft(page)
    const wide = viewport.width > 820
    const tabs = page.getByRole('tablist', { name: en['page.world'] })
    if (wide) expect(await middle(tabs), 'the list is at the right').toBeGreaterThan(viewport.width / 2)
    expect(await middle(tabs.getByRole('tab').first())).toBeGreaterThan(await middle(tabs.getByRole('tab').last()))
    await tabs.getByRole('tab').first().focus()
    await page.keyboard.press('ArrowLeft')
    await expect(tabs.getByRole('tab', { name: en['tab.places'] }), 'an arrow key moves in its direction').toBeFocused()
    await page.getByRole('button', { name: en['past.show'], exact: true }).click()
    await expect(page.getByRole('slider', { name: en['past.moment'] })).toBeVisible()
    expect(await outside(page), 'the time bar').toEqual([])
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
    // The pointer's target at the figure is the map itself: no panel covers it.
    await expect.poll(async () => {
      const seen = await extent(page)
      if (seen === undefined) return 'nobody is in view'
      return page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.tagName, [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2] as const)
    }).toBe('CANVAS')
  })
}

for (const [what, viewport] of Object.entries({ 'a wide screen': { width: 1280, height: 800 }, 'a phone': { width: 360, height: 640 } })) {
  test.describe(`on ${what} from right to left`, () => {
    test.use({ viewport, hasTouch: viewport.width < 500 })

    test('overlays of the map are complete, and cover no button', async ({ page, host, world }) => {
      await world.say(await world.agent('Ada'), 'Good morning')
      await open(page, host)
      await setRightToLeft(page)
      const lid = await page.evaluateHandle(() => document.body.appendChild(Object.assign(document.createElement('div'), { style: 'position: fixed; inset: 0; z-index: 99' })))
      expect(await covered(page), 'a covering element is detected').not.toEqual([])
      await lid.evaluate((element) => { element.remove() })
      expect([...await outside(page), ...await covered(page)], 'the town').toEqual([])
      await page.getByRole('button', { name: en['notify.title'], exact: true }).click()
      expect([...await outside(page), ...await covered(page, '.wishes')], 'the notifications').toEqual([])
      await page.keyboard.press('Escape')
      await status(page).getByRole('button', { name: en['status.verified'] }).click()
      expect([...await outside(page), ...await covered(page, '.proof')], 'the proof').toEqual([])
      await page.keyboard.press('Escape')

      await enter(page, 'Robin')
      expect([...await outside(page), ...await covered(page)], 'a walking person').toEqual([])
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: en['page.hide'] }).click()
      expect([...await outside(page), ...await covered(page)], 'without the panels').toEqual([])
      await page.getByRole('button', { name: en['past.show'], exact: true }).click()
      await page.getByRole('slider', { name: en['past.moment'] }).press('Home')
      await expect(bar(page)).toContainText(en['person.past'])
      expect([...await outside(page), ...await covered(page)], 'the past').toEqual([])
      expect(await violations(page)).toEqual([])
    })

    test('the wall is complete', async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      await page.goto(`${host.url}/play/watch?view=wall`)
      await expect(page.locator('.truth')).toContainText(en['status.verified'])
      await setRightToLeft(page)
      await world.say(ada, 'The third chapter of the blue one.')
      await expect(page.locator('.latest p')).toBeVisible()
      const [sign, clock] = [await page.locator('.sign').boundingBox(), await page.locator('.clock').boundingBox()]
      if (sign === null || clock === null) throw new Error('the wall has no name or no clock')
      expect(clock.x, 'the clock is at the left').toBeGreaterThanOrEqual(0)
      // On a phone the clock is below the name on days with a long date.
      const below = viewport.width < 500 && clock.y >= sign.y + sign.height
      if (!below) expect(clock.x + clock.width).toBeLessThanOrEqual(sign.x)
      expect(sign.x + sign.width).toBeLessThanOrEqual(viewport.width)
      expect(await violations(page)).toEqual([])
    })
  })
}
