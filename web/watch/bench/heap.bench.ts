/** Leaves the page open on the demo and looks at its heap: PLAYCTL_BENCH_MINUTES, 30 unless told. */

import { expect, test } from '../test/browser/fixtures/test.js'
import { open } from '../test/browser/fixtures/town.js'

const minutes = Number(process.env.PLAYCTL_BENCH_MINUTES ?? 30)

test.use({ hostFlags: ['--demo'] })

test(`heap over ${minutes} minutes of the demo`, async ({ page, host }) => {
  await open(page, host)
  const session = await page.context().newCDPSession(page)
  const heaps: number[] = []
  for (let minute = 0; minute <= minutes; minute += minutes / 10) {
    // Once for what is dead, and once for what that kept alive by a finalizer.
    for (let collection = 0; collection < 2; collection++) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
    heaps.push(usedSize)
    process.stdout.write(`${minute.toFixed(1)} min: ${(usedSize / 1024 / 1024).toFixed(2)} MiB, ${nodes} elements\n`)
    if (minute < minutes) await new Promise((resolve) => setTimeout(resolve, (minutes / 10) * 60_000))
  }
  // The feed fills up in the first part; from then on nothing may grow.
  const half = heaps.slice(Math.floor(heaps.length / 2))
  expect(Math.max(...half)).toBeLessThan(1.2 * (half[0] ?? 0))
})
