/** Measures the watch page and prints the numbers of bench/RESULTS.md: npm run bench --workspace watch */

import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from '../test/browser/fixtures/test.js'
import { open } from '../test/browser/fixtures/town.js'

/** Says one result, where a person who runs this sees it. */
function tell(what: string, value: string): void {
  process.stdout.write(`${what}: ${value}\n`)
}

/** The value below which a part of all of them lies. */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

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
  tell('first contentful paint', `median ${quantile(paints, 0.5).toFixed(0)} ms, slowest of ${paints.length} ${quantile(paints, 1).toFixed(0)} ms`)
  tell('compressed bytes of the page and its files', `${(quantile(bytes, 0.5) / 1024).toFixed(1)} KiB`)
  expect(quantile(bytes, 1)).toBeLessThan(150 * 1024)
})

/** A complete event of a trace. */
interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** How long it took, in microseconds, and how much of that the thread was running. */
  dur?: number
  tdur?: number
}

/** What an event cost its thread, without the time that other processes had the processor. */
function milliseconds({ dur = 0, tdur = dur }: TraceEvent): number {
  return tdur / 1000
}

/** Records what the browser does while something goes on. */
async function traced(page: Page, during: () => Promise<void>): Promise<TraceEvent[]> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'] },
  })
  await during()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  return events
}

test('script time of a frame with 100 residents and 20 events a second', async ({ page, host, world }) => {
  const ids: string[] = []
  for (let number = 1; number <= 100; number++) ids.push(await world.agent(`Agent ${number}`))
  await open(page, host)
  const events = await traced(page, async () => {
    const end = performance.now() + 20_000
    for (let number = 0; performance.now() < end; number++) {
      const next = new Promise((resolve) => setTimeout(resolve, 50))
      await world.say(ids[(number * 37) % 100] ?? '', `Line ${number} of somebody who has a lot to say today`)
      await next
    }
  })
  const scripts = events.filter(({ name }) => name === 'FireAnimationFrame')
  const [main] = scripts
  const frames = scripts.map(milliseconds)
  const tasks = events
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && pid === main?.pid && tid === main.tid)
    .map(milliseconds)
  tell('frames', String(frames.length))
  tell('script time of a frame', `median ${quantile(frames, 0.5).toFixed(2)} ms, 95th ${quantile(frames, 0.95).toFixed(2)} ms, 99th ${quantile(frames, 0.99).toFixed(2)} ms, longest ${quantile(frames, 1).toFixed(2)} ms`)
  tell('tasks of the main thread', `${tasks.length}, over 50 ms ${tasks.filter((task) => task > 50).length}, longest ${quantile(tasks, 1).toFixed(1)} ms`)
  expect(frames.length).toBeGreaterThan(0)
})
