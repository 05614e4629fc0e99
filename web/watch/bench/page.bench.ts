/** Measures the watch page and prints the numbers of bench/RESULTS.md: npm run bench --workspace watch -- page */

import type { Page } from '@playwright/test'
import { kept } from '../src/feed/log.js'
import { expect, test } from '../test/browser/fixtures/test.js'
import { feed, open, show } from '../test/browser/fixtures/town.js'
import { journeySteps, type World } from '../test/browser/fixtures/world.js'
import { quantile, report, spread } from './figures.js'
import { traced, type Work } from './trace.js'

test.use({ repository: false })

test('first paint and bytes', async ({ browser, host, world }) => {
  await world.agent('Ada')
  const paints: number[] = []
  const bytes: number[] = []
  for (let run = 0; run < 15; run++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${host.url}/play/watch`)
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    await page.waitForLoadState('load')
    const [paint, sum] = await page.evaluate(() => [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter((entry) => /\/watch($|\/assets\/)/.test(new URL(entry.name).pathname))
        .reduce((all, entry) => all + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    ])
    paints.push(paint)
    bytes.push(sum)
    await context.close()
  }
  report('first contentful paint', `median ${quantile(paints, 0.5).toFixed(0)} ms, slowest of ${paints.length} ${quantile(paints, 1).toFixed(0)} ms`)
  report('compressed bytes of the page and its files', `${(quantile(bytes, 0.5) / 1024).toFixed(1)} KiB`)
  expect(quantile(bytes, 1)).toBeLessThan(150 * 1024)
})

/** Puts a hundred agents on the map. */
async function crowd(world: World): Promise<string[]> {
  const ids: string[] = []
  for (let number = 1; number <= 100; number++) ids.push(await world.agent(`Agent ${number}`))
  return ids
}

/** Measures while something happens twenty times a second, for twenty seconds: by default, a line is said. */
async function measure(page: Page, world: World, ids: readonly string[], act = (id: string, turn: number): Promise<void> => world.say(id, `Line ${turn} of somebody who has a lot to say today`)): Promise<void> {
  const said: Promise<void>[] = []
  const work = await traced(page, async () => {
    for (const begin = performance.now(); said.length < 400;) {
      said.push(act(ids[(said.length * 37) % 100] ?? '', said.length))
      await new Promise((resolve) => setTimeout(resolve, begin + said.length * 50 - performance.now()))
    }
    await Promise.all(said)
  })
  report('changes and frames', `${said.length} and ${work.frames.length}`)
  reportWork(work)
}

function reportWork({ frames, presented, scripts, tasks, clocked, busy, rate }: Work): void {
  report('frames a second', rate.toFixed(1))
  report('of which were presented', presented.toFixed(1))
  report('script of a frame', spread(frames))
  report('all script from one frame to the next', spread(scripts))
  for (const [what, all] of [['tasks of the main thread', tasks], ['the same by the clock', clocked]] as const) {
    report(what, `${all.length}, over 50 ms ${all.filter((task) => task > 50).length}, longest ${quantile(all, 1).toFixed(1)} ms`)
  }
  report('the main thread by the clock', `${(100 * busy).toFixed(0)} in 100`)
  expect(frames.length).toBeGreaterThan(0)
}

test('script of a frame with 100 residents and 20 events a second', async ({ page, host, world }) => {
  const ids = await crowd(world)
  await open(page, host)
  await measure(page, world, ids)
})

test('100 residents, in groups and families, of which 20 a second say what they do', async ({ page, host, world }) => {
  const ids: string[] = []
  for (let number = 0; number < 100; number++) {
    const parentId = number % 4 === 0 ? undefined : ids[number - number % 4]
    ids.push(await world.agent(`Agent ${number + 1}`, { group: `Group ${number % 5}`, ...(parentId !== undefined && { parentId }) }))
  }
  await open(page, host)
  await measure(page, world, ids, (id, turn) => world.activity(id, turn % 4 === 0 ? 'idle' : 'working', { text: `Editing file ${turn}`, usage: { inputTokens: 10 * turn } }))
})

test('script of a frame with 10,000 events in the feed, and the feed in view', async ({ page, host, world }) => {
  const ids = await crowd(world)
  await open(page, host)
  await show(page, 'happenings')
  for (let written = 0; written < kept; written += 100) {
    await Promise.all(ids.map((id, line) => world.say(id, `Line ${written + line} from before`)))
  }
  await world.say(ids[0] ?? '', 'The last line from before')
  await expect(feed(page).getByText('The last line from before')).toBeAttached()
  await measure(page, world, ids)
})

test.describe('with places to go', () => {
  test.use({ hostFlags: ['--max-occupants', '200'] })

  test('100 residents, some of which always walk, and 20 lines a second', async ({ page, host, world }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const name of ['search', 'cite']) await world.mcp(name)
    const ids = await crowd(world)
    await open(page, host)
    let walks = 0
    const walking = setInterval(() => { void world.journey(ids[(walks++ * 13) % 100] ?? '', journeySteps('Which way?', 'That way.')).catch(() => undefined) }, 700)
    await measure(page, world, ids)
    clearInterval(walking)
  })
})

test('panning with 100 residents', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await crowd(world)
  await open(page, host)
  await page.mouse.move(800, 500)
  await page.mouse.down()
  const session = await page.context().newCDPSession(page)
  const work = await traced(page, async () => {
    // As a mouse does, which waits for no answer: a hundred moves a second, for ten seconds.
    const moves: Promise<unknown>[] = []
    for (const begin = performance.now(); moves.length < 1000;) {
      const step = moves.length / 3
      moves.push(session.send('Input.dispatchMouseEvent', {
        type: 'mouseMoved', button: 'left', buttons: 1, x: 800 + 200 * Math.sin(step / 15), y: 500 + 120 * Math.cos(step / 11),
      }))
      await new Promise((resolve) => setTimeout(resolve, begin + moves.length * 10 - performance.now()))
    }
    await Promise.all(moves)
  })
  await page.mouse.up()
  reportWork(work)
})

test.describe('the demo', () => {
  test.use({ hostFlags: ['--demo'], repository: true })

  test('for 20 s', async ({ page, host }) => {
    await open(page, host)
    reportWork(await traced(page, async () => { await page.waitForTimeout(20_000) }))
  })
})
