/** A full map and a long day. */

import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { extent, map } from './fixtures/map.js'
import { feed, open, reached, resident, residents, show } from './fixtures/town.js'

test.use({ repository: false })

test('a hundred residents are all shown', async ({ page, host, world }) => {
  for (let number = 1; number <= 70; number++) await world.agent(`Agent ${number}`)
  for (let number = 1; number <= 30; number++) await world.mcp(`placement ${number}`)
  await open(page, host)
  await reached(page, (await world.head()).rev)
  await expect(residents(page).getByRole('button')).toHaveCount(100)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, contextOptions: { reducedMotion: 'reduce' } })

  test('thirty residents are dots, selectable by a nearby touch, and figures when zoomed in', async ({ page, host, world }) => {
    for (let number = 1; number <= 30; number++) await world.agent(`Agent ${number}`)
    await open(page, host)
    await reached(page, (await world.head()).rev)
    // The tallest area: that of a dot is as high as it is wide, that of a figure with its name much higher.
    const highest = (): Promise<{ x: number; y: number; height: number } | undefined> => map(page).evaluate((canvas: HTMLCanvasElement) => {
      const { left, top } = canvas.getBoundingClientRect()
      const picks = (x: number, y: number): boolean => {
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }))
        return canvas.style.cursor === 'pointer'
      }
      for (let y = 0; y < canvas.clientHeight; y += 2) {
        for (let x = 0; x < canvas.clientWidth; x += 4) {
          if (!picks(x, y)) continue
          let height = 0
          while (picks(x, y + height)) height += 1
          canvas.dispatchEvent(new PointerEvent('pointerleave'))
          return { x: x + 4, y, height }
        }
      }
      return undefined
    })
    await expect.poll(async () => (await highest())?.height ?? 99).toBeLessThan(15)
    const { x, y } = await highest() ?? { x: 0, y: 0 }
    const { left, top } = await map(page).evaluate((canvas) => canvas.getBoundingClientRect())
    await page.touchscreen.tap(left + x, top + y - 12)
    await expect(page.getByRole('complementary')).toBeVisible()
    await page.getByRole('button', { name: en['page.close'], exact: true }).click()
    await resident(page, 'Agent 1').click()
    await expect.poll(async () => {
      const seen = await extent(page)
      return seen === undefined ? 0 : seen.bottom - seen.top
    }).toBeGreaterThan(60)
  })
})

test.describe('with a higher limit', () => {
  test.use({ hostFlags: ['--max-occupants', '300'] })

  test('only the part of a long list near the view is rendered', async ({ page, host, world }) => {
    for (let ten = 0; ten < 30; ten++) await Promise.all(Array.from({ length: 10 }, (_, number) => world.agent(`Agent ${ten * 10 + number}`)))
    await open(page, host)
    await expect(residents(page).getByRole('button')).toHaveCount(300)
    const drawn = (): Promise<number> => page.evaluate(() =>
      [...document.querySelectorAll('canvas.badge')].filter((badge) => (badge as HTMLCanvasElement).width < 300).length)
    await expect.poll(drawn).toBeGreaterThan(10)
    const last = residents(page).getByRole('button').last()
    const badge = last.locator('canvas')
    await expect(badge, 'the canvas is empty').toHaveJSProperty('width', 300)
    expect(await drawn()).toBeLessThan(60)
    await last.scrollIntoViewIfNeeded()
    await expect(last).toBeInViewport()
    await expect(badge).toHaveJSProperty('width', 126)
    expect(await drawn()).toBeLessThan(100)
  })
})

/** More than a page can draw: three elements for each of 2,500 lines would be too many. */
const hundreds = 25

test(`${hundreds} hundred events do not slow the page, and the feed keeps few elements`, async ({ page, host, world }) => {
  test.slow()
  const id = await world.agent('Ada')
  await open(page, host)
  await show(page, 'happenings')
  for (let hundred = 0; hundred < hundreds; hundred++) {
    await Promise.all(Array.from({ length: 100 }, (_, number) => world.say(id, `line ${hundred * 100 + number}`)))
  }
  await world.say(id, 'the very last line')
  await expect(feed(page).getByText('the very last line')).toBeVisible()
  await expect(page.getByText(en['status.verified'], { exact: true })).toBeVisible()
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1000)
})

test('different lines do not accumulate in the browser', async ({ page, host, world }) => {
  const ids = await Promise.all(['Ada', 'Grace', 'Tove', 'Barbara', 'Edsger'].map((name) => world.agent(name)))
  await open(page, host)
  const session = await page.context().newCDPSession(page)
  const held = async (): Promise<number> => {
    for (let collection = 0; collection < 2; collection++) await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).embedderHeapUsedSize / 1024 / 1024
  }
  const before = await held()
  const wordsOf = (line: number): string => Array.from({ length: 4 }, (_, word) => (line * 7919 + word * 104729).toString(36)).join(' of ')
  for (let line = 0; line < 1000; line += ids.length) {
    await Promise.all(ids.map((id, speaker) => world.say(id, `line ${line + speaker} tells ${wordsOf(line + speaker)}`)))
  }
  await reached(page, (await world.head()).rev)
  // If the browser kept data for each measured text, that would be 12 MiB.
  expect(await held() - before, 'MiB').toBeLessThan(3)
})
