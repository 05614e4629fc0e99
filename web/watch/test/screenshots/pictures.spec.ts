/**
 * Creates the pictures of docs/watch.md and the one of link previews: npm run screenshots --workspace watch
 *
 * They are stored with fewer colors, without a visible difference:
 * pngquant --force --ext .png docs/images/watch-*.png internal/host/card.png
 */

import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from '../browser/fixtures/test.js'
import { feed, open, reached, resident, show } from '../browser/fixtures/town.js'
import { type World, journeySteps } from '../browser/fixtures/world.js'
import { take } from './take.js'

const folder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url))

/** Returns the file of a picture in the docs. */
const file = (name: string): string => `${folder}watch-${name}.png`

const platforms = ['langchain', 'openai-agents', 'crewai', 'playctl']

/** Waits until this many more events of a kind have arrived. */
async function more(page: Page, kind: 'kind.journey' | 'kind.speech', wanted: number): Promise<void> {
  await page.getByRole('combobox', { name: en['feed.kind'] }).selectOption({ label: en[kind] })
  const count = async (): Promise<number> => Number(await feed(page).getByRole('article').first().getAttribute('aria-setsize'))
  const before = await count()
  await expect.poll(count, { intervals: [50], timeout: 60_000 }).toBeGreaterThanOrEqual(before + wanted)
}

/** Waits until the demo is busy: an agent is on a journey, and others talk. */
async function midday(page: Page): Promise<void> {
  await show(page, 'happenings')
  await more(page, 'kind.journey', 1)
  await more(page, 'kind.speech', 2)
  await show(page, 'residents')
}

const lines = [
  'The river is high today: take the bridge.',
  'Your train leaves from platform 2 at 23:41.',
  'Two of three tests are green by now.',
  'I have found the page that you meant.',
]

/** Creates a town with some of everything. */
async function found(world: World): Promise<string[]> {
  const tool = {
    name: 'assist_find_book',
    description: 'Finds a book',
    parameters: { type: 'object', properties: { title: { type: 'string', description: 'What it is called' } }, required: ['title'] },
  }
  const ids = [await world.agent('Ada', { enableP2a: 'on', assistTools: [tool] })]
  for (const [number, name] of ['Grace', 'Alan', 'Barbara', 'Edsger'].entries()) {
    ids.push(await world.agent(name, { type: platforms[number % platforms.length] ?? 'langchain' }))
  }
  for (const name of ['weather', 'library']) await world.mcp(name)
  await world.space('The garden')
  await world.space('The market', ['supermarket', 'car_wash'])
  return ids
}

/** Adds activity to the town. */
async function live(world: World, [ada = '', ...others]: string[]): Promise<void> {
  await world.journey(ada, journeySteps('Which book explains Merkle trees best?', 'The third chapter of the blue one.'))
  for (const [number, id] of others.entries()) await world.say(id, lines[number] ?? '')
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme}`, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } })

    test('a town with a bit of everything', async ({ page, host, world }) => {
      const ids = await found(world)
      await open(page, host)
      await live(world, ids)
      await reached(page, (await world.head()).rev)
      if (colorScheme === 'dark') await resident(page, 'Ada').click()
      await take(page, file(colorScheme))
    })
  })
}

for (const [name, options] of Object.entries({
  demo: { colorScheme: 'light' as const },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
})) {
  test.describe(name, () => {
    test.use({ ...options, hostFlags: ['--demo'] })

    test('the demo', async ({ page, host }) => {
      await open(page, host)
      await midday(page)
      await take(page, file(name), false)
    })
  })
}

test('the empty world', async ({ page, host, world }) => {
  await world.head()
  await open(page, host)
  await take(page, file('empty'))
})

test.describe('a link preview', () => {
  test.use({ viewport: { width: 1200, height: 630 }, contextOptions: { reducedMotion: 'reduce' } })

  test('the town alone', async ({ page, host, world }) => {
    await found(world)
    await page.goto(`${host.url}/play/watch?view=wall`)
    await expect(page.locator('.truth')).toContainText(en['status.verified'])
    for (const cover of ['.top', '.latest']) await page.locator(cover).evaluate((element) => { element.remove() })
    await take(page, fileURLToPath(new URL('../../../../internal/host/card.png', import.meta.url)))
  })
})

test.describe('a crowd', () => {
  test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

  test('a hundred residents', async ({ page, host, world }) => {
    const ids: string[] = []
    for (let number = 1; number <= 80; number++) {
      ids.push(await world.agent(`Agent ${number}`, { type: platforms[number % platforms.length] ?? 'langchain' }))
    }
    for (let number = 1; number <= 20; number++) await world.mcp(`placement ${number}`)
    await open(page, host)
    for (const id of ids.slice(0, 30)) await world.say(id, 'Has anybody seen the key of the mill?')
    await reached(page, (await world.head()).rev)
    await show(page, 'happenings')
    await take(page, file('crowd'))
  })
})
