/** The feed: searched, and read while scrolled. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false })

const kind = (page: Page): Locator => page.getByRole('combobox', { name: en['feed.kind'] })
const who = (page: Page): Locator => page.getByRole('combobox', { name: en['feed.who'] })
const words = (page: Page): Locator => page.getByRole('searchbox', { name: en['feed.text'] })
const articles = (page: Page): Locator => feed(page).getByRole('article')

test('it is filtered by kind, agent and words, including new events', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await world.say(ada, 'The river is high')
  await world.say(grace, 'Take the BRIDGE over the river')
  await world.journey(ada, journeySteps('Which way?', 'Over the bridge.'))
  await world.mcp('weather')
  await open(page, host)
  await show(page, 'happenings')

  await kind(page).selectOption({ label: en['kind.speech'] })
  await expect(articles(page)).toHaveCount(2)
  await who(page).selectOption({ label: 'Grace' })
  await expect(articles(page)).toHaveCount(1)
  await expect(articles(page)).toContainText('Take the BRIDGE')
  expect(await violations(page), 'filtered').toEqual([])

  await world.say(ada, 'Nobody listens')
  await world.say(grace, 'I do')
  await expect(articles(page)).toContainText(['I do', 'Take the BRIDGE'])
  await expect(articles(page)).toHaveCount(2)

  await words(page).fill('bridge')
  await expect(articles(page)).toHaveCount(1)
  await words(page).fill('no such word')
  await expect(page.getByText(en['feed.noneMatch'])).toBeVisible()
  expect(await violations(page), 'no result').toEqual([])

  await page.getByRole('button', { name: en['feed.clear'] }).click()
  await expect(articles(page)).toHaveCount(8)
  await words(page).fill('BRIDGE')
  await expect(articles(page), 'lines and journeys').toHaveCount(2)
  await kind(page).selectOption({ label: en['kind.journey'] })
  await expect(articles(page)).toHaveCount(1)
})

test('it stays in place while a person reads below the top, and counts new events', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  for (let line = 1; line <= 60; line++) await world.say(ada, `line ${line}`)
  await open(page, host)
  await show(page, 'happenings')
  await expect(feed(page).getByText('line 60', { exact: true })).toBeVisible()
  await feed(page).hover()
  await page.mouse.wheel(0, 1200)
  // Scrolling may take the browser some frames.
  await expect.poll(() => feed(page).evaluate((list) => list.scrollTop)).toBe(1200)
  const read = feed(page).getByText('line 36', { exact: true })
  await expect(read).toBeInViewport()
  const before = await read.boundingBox()
  for (let line = 61; line <= 63; line++) await world.say(ada, `line ${line}`)
  const newer = page.getByRole('button', { name: '3 new events' })
  await expect(newer).toBeVisible()
  expect(await read.boundingBox()).toEqual(before)
  expect(await violations(page)).toEqual([])
  await newer.click()
  await expect(feed(page).getByText('line 63', { exact: true })).toBeInViewport()
  await expect(newer).toBeHidden()
})

test('a name links to its agent, without a link after the agent has left', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await open(page, host)
  await world.say(grace, 'Good night')
  await world.leave(grace)
  await world.say(ada, 'She is gone')
  await show(page, 'happenings')
  await articles(page).filter({ hasText: 'She is gone' }).getByRole('button', { name: 'Ada' }).click()
  await expect(panel(page, 'Ada')).toBeVisible()
  await show(page, 'residents')
  await expect(resident(page, 'Ada')).toHaveAttribute('aria-pressed', 'true')
  await show(page, 'happenings')

  const gone = articles(page).filter({ hasText: 'Good night' })
  await expect(gone).toContainText('Grace')
  await expect(gone.getByRole('button', { name: 'Grace' })).toHaveCount(0)
})

for (const [what, options] of Object.entries({
  'a mouse': {},
  'a finger': { hasTouch: true, viewport: { width: 360, height: 640 } },
})) {
  test.describe(`for ${what}`, () => {
    test.use(options)

    for (const size of ['usual', 'twice as large']) test(`both lines of a row fit with ${size} letters`, async ({ page, host, world }) => {
      if (size !== 'usual') await page.addInitScript(() => { addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '30px' }) })
      await world.say(await world.agent('Ada'), 'Good morning')
      await open(page, host)
      await show(page, 'happenings')
      await expect(feed(page).getByText('Good morning')).toBeVisible()
      const rows = feed(page).getByRole('article')
      expect(await rows.evaluateAll((all) => all.flatMap((row) => {
        const whole = row.getBoundingClientRect()
        return [...row.querySelectorAll('p, button.said')].flatMap((line) => {
          const words = document.createRange()
          words.selectNodeContents(line)
          const { bottom, height } = words.getBoundingClientRect()
          return height > 0 && bottom <= whole.bottom - 4 ? [] : [`${line.textContent} ends ${whole.bottom - bottom} above the end of its row`]
        })
      }))).toEqual([])
      expect(await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect())
        .map(({ top }, row, boxes) => Math.round(top - (boxes[row - 1]?.bottom ?? top))))).toEqual([0, 0])
    })
  })
}
