/**
 * Takes pictures of the page's states, to be looked at and not committed: npm run screenshots --workspace watch -- states
 *
 * They are in build/pictures, named by the state, the number of agents, the size of the window and the colors.
 */

import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import type { Host } from '../browser/fixtures/host.js'
import { expect, test } from '../browser/fixtures/test.js'
import { feed, open, part, resident, residents, show, status } from '../browser/fixtures/town.js'
import { type World, journeySteps } from '../browser/fixtures/world.js'
import { take } from './take.js'

const folder = fileURLToPath(new URL('../../build/pictures/', import.meta.url))
mkdirSync(folder, { recursive: true })

test.use({ repository: false, hostFlags: ['--max-occupants', '200'], actionTimeout: 10_000 })
test.setTimeout(400_000)

const sizes = [[1440, 900], [1920, 1080], [390, 844], [360, 640]] as const
const themes = ['light', 'dark'] as const
const names = ['Ada', 'Grace', 'Alan', 'Barbara', 'Edsger', 'Tove', 'Margaret', 'Linus', 'Radia', 'Donald']
const lines = [
  'The river is high today: take the bridge.', 'Your train leaves from **platform 2** at 23:41.', 'Two of three tests are green by now.',
  'I have found the page that you meant. It is in the third chapter of the blue book, beside the picture of the tree.', 'Who has the key of the mill?',
]

/** Puts a number of agents on the map, with typical activity. */
async function found(world: World, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const name = `${names[number % names.length] ?? ''}${number < names.length ? '' : ` ${Math.floor(number / names.length) + 1}`}`
    const tool = { name: 'assist_find_book', description: 'Finds a book', parameters: { type: 'object', properties: { title: { type: 'string', description: 'What it is called' } }, required: ['title'] } }
    ids.push(await world.agent(name, { type: ['langchain', 'openai-agents', 'crewai', 'playctl'][number % 4] ?? '', ...(number === 0 && { enableP2a: 'on', assistTools: [tool] }) }))
  }
  for (const name of ['search', 'cite']) await world.mcp(name)
  return ids
}

async function live(world: World, ids: readonly string[]): Promise<void> {
  await world.journey(ids[0] ?? '', journeySteps('Which book explains Merkle trees best?', 'The third chapter of the blue one.'))
  for (const [number, id] of ids.slice(0, 12).entries()) await world.say(id, lines[number % lines.length] ?? '')
}

/** Returns the file of a picture. */
const file = (name: string): string => `${folder}${name}.png`

/** Other settings of a person. */
interface Way {
  /** Whether the system's own colors are forced. */
  readonly forced?: boolean
  /** Whether the reading direction is from right to left. */
  readonly turned?: boolean
  /** The letter size of the browser. */
  readonly letters?: number
}

/** Opens the page in a window of this size and these colors. */
async function inWindow(browser: Browser, [width, height]: readonly [number, number], colorScheme: 'light' | 'dark', { forced = false, turned = false, letters = 16 }: Way, seen: (page: Page) => Promise<void>): Promise<void> {
  const phone = width < 500
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme, reducedMotion: 'reduce', hasTouch: phone, isMobile: phone, ...(forced && { forcedColors: 'active' as const }),
  })
  const page = await context.newPage()
  if (turned) await page.addInitScript(() => { addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl' }) })
  if (letters !== 16) await (await context.newCDPSession(page)).send('Page.setFontSizes', { fontSizes: { standard: letters } })
  await seen(page)
  await context.close()
}

/** Reports whether the window is so low that only either the panels or the town are shown. */
const isLow = (page: Page): boolean => (page.viewportSize()?.height ?? 0) < 300

/** Enters the town as a person, and leaves it again. */
async function visit(page: Page, of: string): Promise<void> {
  const low = isLow(page)
  if (low) await page.getByRole('button', { name: en['page.hide'] }).click()
  await page.getByRole('button', { name: en['person.button'], exact: true }).click()
  await page.getByRole('textbox', { name: en['person.name'] }).fill('Robin')
  await take(page, file(`enter-${of}`))
  await page.keyboard.press('Enter')
  const bar = page.getByRole('region', { name: en['person.bar'] })
  await expect(bar).toBeVisible()
  if (!low) await expect(resident(page, 'Robin')).toBeAttached()
  await take(page, file(`person-${of}`))
  if (!low) await page.getByRole('button', { name: en['page.hide'] }).click()
  await take(page, file(`personbare-${of}`))
  await page.getByRole('button', { name: en['past.show'], exact: true }).click()
  await page.getByRole('slider', { name: en['past.moment'] }).press('Home')
  await take(page, file(`personpast-${of}`))
  await page.getByRole('button', { name: en['past.close'] }).click()
  const show = async (): Promise<void> => { await page.getByRole('button', { name: en['page.show'] }).click() }
  if (!low) await show()
  await bar.getByRole('button', { name: en['person.leave'] }).click()
  if (low) await show()
  await expect(resident(page, 'Robin')).toBeHidden()
}

const walls = '/play/watch?view=wall'

/** Shows the page's states one after the other, and takes a picture of each. */
async function walk(page: Page, host: Host, world: World, ids: readonly string[], of: string): Promise<void> {
  await open(page, host)
  await live(world, ids)
  await expect(status(page)).toHaveAttribute('data-rev', String((await world.head()).rev))
  await take(page, file(`town-${of}`))
  await show(page, 'happenings')
  await expect(feed(page).getByRole('article').first()).toBeVisible()
  await take(page, file(`happenings-${of}`))
  await show(page, 'places')
  await take(page, file(`places-${of}`))
  await show(page, 'residents')
  await expect(residents(page)).toBeVisible()
  await status(page).getByRole('button', { name: en['status.verified'] }).click()
  await take(page, file(`proof-${of}`))
  await page.keyboard.press('Escape')
  const low = isLow(page)
  if (low) await page.getByRole('button', { name: en['page.hide'] }).click()
  await page.getByRole('button', { name: en['notify.title'], exact: true }).click()
  await take(page, file(`notify-${of}`))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: en['past.show'], exact: true }).click()
  await expect(page.getByRole('slider', { name: en['past.moment'] })).toBeVisible()
  await take(page, file(`past-${of}`))
  await page.getByRole('slider', { name: en['past.moment'] }).press('Home')
  await take(page, file(`pastbegin-${of}`))
  await page.getByRole('button', { name: en['past.close'] }).click()
  if (low) await page.getByRole('button', { name: en['page.show'] }).click()
  await resident(page, 'Ada').click()
  await take(page, file(`panel-${of}`))
  for (const name of ['story', 'facts'] as const) {
    await part(page, name)
    await take(page, file(`${name}-${of}`))
  }
  await page.getByRole('complementary').getByRole('button', { name: en['page.close'] }).click()
  await visit(page, of)
  await page.getByRole('button', { name: en['page.hide'] }).click()
  await take(page, file(`bare-${of}`))
  await page.goto(host.url + walls)
  await expect(page.locator('.truth')).toContainText(en['status.verified'])
  await world.say(ids[0] ?? '', lines[3] ?? '')
  await expect(page.locator('.latest')).toContainText('third chapter')
  await take(page, file(`wall-${of}`))
}

for (const count of [1, 5, 30, 100]) {
  for (const size of sizes) {
    test(`${count} agents at ${size.join('×')}`, async ({ browser, host, world }) => {
      const ids = await found(world, count)
      for (const theme of themes) await inWindow(browser, size, theme, {}, (page) => walk(page, host, world, ids, `${count}-${size.join('x')}-${theme}`))
    })
  }
}

test('an empty world', async ({ browser, host, world }) => {
  await world.head()
  for (const size of sizes) {
    for (const theme of themes) {
      await inWindow(browser, size, theme, {}, async (page) => {
        await open(page, host)
        await take(page, file(`empty-0-${size.join('x')}-${theme}`))
        await visit(page, `0-${size.join('x')}-${theme}`)
        await page.goto(host.url + walls)
        await expect(page.locator('.truth')).toContainText(en['status.verified'])
        await take(page, file(`wall-0-${size.join('x')}-${theme}`))
      })
    }
  }
})

for (const [what, size, way] of [
  ['forced', [1440, 900], { forced: true }], ['forced', [390, 844], { forced: true }], ['zoomed', [320, 256], {}], ['zoomed', [360, 225], {}], ['sideways', [740, 360], {}],
  ['turned', [1440, 900], { turned: true }], ['turned', [390, 844], { turned: true }], ['large', [1440, 900], { letters: 28 }], ['large', [390, 844], { letters: 28 }],
] as const) {
  test(`${what} at ${size.join('×')}`, async ({ browser, host, world }) => {
    const ids = await found(world, 5)
    for (const theme of themes) await inWindow(browser, size, theme, way, (page) => walk(page, host, world, ids, `${what}-${size.join('x')}-${theme}`))
  })
}

test('a host that does not answer', async ({ browser, host, world }) => {
  const ids = await found(world, 5)
  for (const size of sizes) {
    await inWindow(browser, size, 'light', {}, async (page) => {
      await open(page, host)
      await live(world, ids)
      await host.kill()
      await expect(page.getByText(en['status.verified'], { exact: true })).toHaveCount(0)
      await take(page, file(`gone-5-${size.join('x')}-light`), false)
      await host.start()
    })
  }
})
