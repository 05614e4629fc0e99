/**
 * Leaves the page open on the demo or on a crowd that talks, with its feed filled before, and
 * measures its heap every minute: PLAYCTL_BENCH_MINUTES, 30 by default.
 */

import type { CDPSession, Page } from '@playwright/test'
import { kept } from '../src/feed/log.js'
import { expect, test } from '../test/browser/fixtures/test.js'
import { feed, open, resident, show } from '../test/browser/fixtures/town.js'
import { journeySteps, type World } from '../test/browser/fixtures/world.js'
import { quantile, report } from './figures.js'

const minutes = Number(process.env.PLAYCTL_BENCH_MINUTES ?? 30)
const mebi = 1024 * 1024

interface Heap {
  /** Memory of scripts, and of the browser for them, in bytes. */
  script: number
  browser: number
  elements: number
}

/** Measures the heap after garbage collection. */
async function sampleHeap(page: Page, session: CDPSession): Promise<Heap> {
  // Once for garbage, and once for objects that its finalizers kept alive.
  for (let collection = 0; collection < 2; collection++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize, embedderHeapUsedSize } = await session.send('Runtime.getHeapUsage')
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  return { script: usedSize, browser: embedderHeapUsedSize, elements }
}

/** The slope of a least-squares line through values a minute apart, per minute. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const by = values.map((value, minute) => ({ x: minute - middle, y: value - mean }))
  return by.reduce((sum, { x, y }) => sum + x * y, 0) / by.reduce((sum, { x }) => sum + x * x, 0)
}

/** Records as many lines as the feed keeps, each different. */
async function fill(world: World): Promise<void> {
  const scribe = await world.agent('The scribe')
  for (let written = 0; written < kept; written += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, line) =>
      world.say(scribe, `Line ${written + line} of the chronicle of the town, as long as what people here say to one another`)))
  }
}

/** Fills what the page keeps, and opens the panel of a resident. */
async function prepare(page: Page, world: World): Promise<void> {
  await show(page, 'happenings')
  await fill(world)
  // Other events of this time are in the list as well.
  await expect.poll(() => feed(page).getByRole('article').first().getAttribute('aria-setsize').then(Number), { timeout: 60_000 }).toBeGreaterThan(kept - 100)
  await show(page, 'residents')
  await resident(page, 'The scribe').click()
}

/** Measures the heap once a minute and checks its slope; returns the memory of scripts in the last 20 minutes. */
async function measure(page: Page): Promise<number[]> {
  const session = await page.context().newCDPSession(page)
  const heaps: Heap[] = []
  for (let minute = 0; minute <= minutes; minute++) {
    const heap = await sampleHeap(page, session)
    heaps.push(heap)
    report(`${minute} min`, `${(heap.script / mebi).toFixed(2)} MiB, the browser for it ${(heap.browser / mebi).toFixed(2)} MiB, ${heap.elements} elements`)
    if (minute < minutes) await new Promise((resolve) => setTimeout(resolve, 60_000))
  }
  const last = heaps.slice(-21)
  const [script, browser] = [last.map((heap) => heap.script), last.map((heap) => heap.browser)]
  const growth = slope(script)
  report(`slope of the last ${last.length - 1} minutes`, `${(growth / 1024).toFixed(2)} KiB a minute, the browser ${(slope(browser) / 1024).toFixed(2)} KiB`)
  report('least and most of them', `${(Math.min(...script) / mebi).toFixed(2)} and ${(Math.max(...script) / mebi).toFixed(2)} MiB`)
  expect(growth, 'the heap does not grow').toBeLessThan(10 * 1024)
  return script
}

test.describe('the demo', () => {
  test.use({ hostFlags: ['--demo'] })

  test(`heap over ${minutes} minutes`, async ({ page, host, world }) => {
    await open(page, host)
    await prepare(page, world)
    const script = await measure(page)
    expect(Math.max(...script)).toBeLessThan(1.1 * Math.min(...script))
  })
})

test.describe('a crowd', () => {
  test.use({ repository: false, hostFlags: ['--max-occupants', '200'] })

  test(`heap over ${minutes} minutes of 100 residents, some of which always walk, and 20 lines a second`, async ({ page, host, world }) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    for (const name of ['search', 'cite']) await world.mcp(name)
    const ids: string[] = []
    for (let number = 1; number <= 99; number++) ids.push(await world.agent(`Agent ${number}`))
    await open(page, host)
    await prepare(page, world)
    let said = 0
    let failed = 0
    const countFailure = (): void => { failed++ }
    const talking = setInterval(() => { void world.say(ids[(said++ * 37) % ids.length] ?? '', `Line ${said} of somebody who has a lot to say today`).catch(countFailure) }, 50)
    const walking = setInterval(() => { void world.journey(ids[(said * 13) % ids.length] ?? '', journeySteps('Which way?', 'That way.')).catch(countFailure) }, 700)
    const begin = performance.now()
    const script = await measure(page).finally(() => {
      clearInterval(talking)
      clearInterval(walking)
      report('lines a second', (said / (performance.now() - begin) * 1000).toFixed(1))
    })
    // One sample is taken in the middle of frames and lines, so several are compared.
    const half = Math.floor(script.length / 2)
    expect(quantile(script.slice(-half), 0.5), 'the end is not higher than the beginning').toBeLessThan(1.05 * quantile(script.slice(0, half), 0.5))
    expect(failed, 'no line was refused').toBe(0)
  })
})
