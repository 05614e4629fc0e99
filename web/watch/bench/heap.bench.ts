/**
 * Leaves the page open on the demo, with all that it keeps filled up before, and
 * looks at its heap every minute: PLAYCTL_BENCH_MINUTES, 30 by default.
 */

import type { CDPSession, Page } from '@playwright/test'
import { kept } from '../src/feed/log.js'
import { expect, test } from '../test/browser/fixtures/test.js'
import { feed, open, resident, show } from '../test/browser/fixtures/town.js'
import type { World } from '../test/browser/fixtures/world.js'
import { tell } from './figures.js'

const minutes = Number(process.env.PLAYCTL_BENCH_MINUTES ?? 30)
const mebi = 1024 * 1024

interface Heap {
  /** What scripts hold, and what the browser holds for them, in bytes. */
  script: number
  browser: number
  elements: number
}

/** Looks at what is left after everything that is dead was collected. */
async function look(page: Page, session: CDPSession): Promise<Heap> {
  // Once for what is dead, and once for what that kept alive by a finalizer.
  for (let collection = 0; collection < 2; collection++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize, embedderHeapUsedSize } = await session.send('Runtime.getHeapUsage')
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  return { script: usedSize, browser: embedderHeapUsedSize, elements }
}

/** The slope of the line that lies closest to values a minute apart (least squares), in their unit a minute. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const by = values.map((value, minute) => ({ x: minute - middle, y: value - mean }))
  return by.reduce((sum, { x, y }) => sum + x * y, 0) / by.reduce((sum, { x }) => sum + x * x, 0)
}

/** Records as many lines as the feed keeps, each another one. */
async function fill(world: World): Promise<void> {
  const scribe = await world.agent('The scribe')
  for (let written = 0; written < kept; written += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, line) =>
      world.say(scribe, `Line ${written + line} of the chronicle of the town, as long as what people here say to one another`)))
  }
}

test.use({ hostFlags: ['--demo'] })

test(`heap over ${minutes} minutes of the demo`, async ({ page, host, world }) => {
  await open(page, host)
  await show(page, 'happenings')
  await fill(world)
  // What the demo does meanwhile is in the list as well.
  await expect.poll(() => feed(page).getByRole('article').first().getAttribute('aria-setsize').then(Number), { timeout: 60_000 }).toBeGreaterThan(kept - 100)
  await show(page, 'residents')
  await resident(page, 'The scribe').click()
  const session = await page.context().newCDPSession(page)
  const heaps: Heap[] = []
  for (let minute = 0; minute <= minutes; minute++) {
    const heap = await look(page, session)
    heaps.push(heap)
    tell(`${minute} min`, `${(heap.script / mebi).toFixed(2)} MiB, the browser for it ${(heap.browser / mebi).toFixed(2)} MiB, ${heap.elements} elements`)
    if (minute < minutes) await new Promise((resolve) => setTimeout(resolve, 60_000))
  }
  const last = heaps.slice(-21)
  const [script, browser] = [last.map((heap) => heap.script), last.map((heap) => heap.browser)]
  const grows = slope(script)
  tell(`slope of the last ${last.length - 1} minutes`, `${(grows / 1024).toFixed(2)} KiB a minute, the browser ${(slope(browser) / 1024).toFixed(2)} KiB`)
  tell('least and most of them', `${(Math.min(...script) / mebi).toFixed(2)} and ${(Math.max(...script) / mebi).toFixed(2)} MiB`)
  expect(grows, 'it does not grow').toBeLessThan(10 * 1024)
  expect(Math.max(...script)).toBeLessThan(1.1 * Math.min(...script))
})
