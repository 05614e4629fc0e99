/**
 * Makes the pictures of docs/watch.md: npm run screenshots --workspace watch
 *
 * They are kept with fewer colours, which the eye does not miss:
 * pngquant --force --ext .png docs/images/watch-*.png
 */

import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { test } from '../browser/fixtures/test.js'
import { open, reached, resident, show } from '../browser/fixtures/town.js'
import { type World, stroll } from '../browser/fixtures/world.js'

const folder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url))

/** Waits until the town has drawn what it was told, and takes the picture. */
async function take(page: Page, name: string): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await page.screenshot({ path: `${folder}watch-${name}.png`, scale: 'css' })
}

const platforms = ['langchain', 'openai-agents', 'crewai', 'playctl']

/** A small town in the middle of its day. */
async function town(world: World): Promise<string> {
  const ada = await world.agent('Ada', {
    enableP2a: 'on',
    assistTools: [{
      name: 'assist_find_book',
      description: 'Finds a book',
      parameters: { type: 'object', properties: { title: { type: 'string', description: 'What it is called' } }, required: ['title'] },
    }],
  })
  const others: string[] = []
  for (const [number, name] of ['Grace', 'Alan', 'Barbara', 'Edsger'].entries()) {
    others.push(await world.agent(name, { type: platforms[number % platforms.length] ?? 'langchain' }))
  }
  await world.mcp('weather')
  await world.mcp('library')
  await world.space('The garden')
  await world.space('The market', ['supermarket', 'car_wash'])
  await world.say(ada, 'Which book explains Merkle trees best?', 'user')
  await world.say(ada, 'The third chapter of the blue one. It draws every step.')
  for (const id of others) await world.say(id, 'The river is high today, take the bridge.')
  await world.journey(ada, stroll('Which book explains Merkle trees best?', 'The third chapter of the blue one.'))
  return ada
}

for (const [name, options] of Object.entries({
  light: { colorScheme: 'light' as const },
  dark: { colorScheme: 'dark' as const },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
})) {
  test.describe(name, () => {
    test.use({ ...options, contextOptions: { reducedMotion: 'reduce' } })

    test('the town', async ({ page, host, world }) => {
      await open(page, host)
      const ada = await town(world)
      await world.say(ada, 'Two books and a map of the coast. The map is the better read.')
      await reached(page, (await world.head()).rev)
      if (name === 'dark') await resident(page, 'Ada').click()
      await take(page, name)
    })
  })
}

test('the empty world', async ({ page, host, world }) => {
  await world.head()
  await open(page, host)
  await take(page, 'empty')
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
    await take(page, 'crowd')
  })
})
