/** The map with fingers, a wheel and keys. The area in which a figure can be picked shows the view. */

import { expect, test } from './fixtures/test.js'
import { type Extent, Fingers, figureOf, map, settled } from './fixtures/map.js'
import { open, panel } from './fixtures/town.js'

const height = ({ top, bottom }: Extent): number => bottom - top

/** Compares two extents of the same view; they are exact to a few pixels. */
function expectSame(now: Extent, before: Extent): void {
  for (const side of ['left', 'top', 'right', 'bottom'] as const) expect(Math.abs(now[side] - before[side]), side).toBeLessThan(8)
}

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 })

  test('two fingers zoom, one finger pans, a tap selects', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    expect(await map(page).evaluate((canvas: HTMLCanvasElement) => canvas.width / canvas.clientWidth), 'drawn for the screen').toBe(2)
    const fingers = await Fingers.on(page)
    const before = await settled(page)
    const middle = figureOf(before)

    await fingers.pinch(middle, 60, 160)
    const near = await settled(page)
    expect(height(near)).toBeGreaterThan(1.3 * height(before))
    expect(Math.abs(figureOf(near).x - middle.x), 'the point between the fingers stays there').toBeLessThan(25)
    await fingers.pinch(middle, 160, 60)
    expectSame(await settled(page), before)

    await fingers.drag([middle, { x: middle.x + 40, y: middle.y + 60 }])
    const { left, top, right, bottom } = before
    const moved = await settled(page)
    expectSame(moved, { left: left + 40, top: top + 60, right: right + 40, bottom: bottom + 60 })
    await expect(panel(page, 'Ada'), 'a drag does not select').toBeHidden()
    expect(await page.evaluate(() => visualViewport?.scale), 'the page itself is not zoomed').toBe(1)

    const { x, y } = figureOf(moved)
    await page.touchscreen.tap(x, y)
    await expect(panel(page, 'Ada')).toBeVisible()
  })
})

test('a wheel zooms about the pointer, a drag pans, a click on the ground deselects', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const before = await settled(page)
  const middle = figureOf(before)
  await page.mouse.move(middle.x, middle.y)
  for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, -120)
  const near = await settled(page)
  expect(height(near)).toBeGreaterThan(1.2 * height(before))
  expect(Math.abs(figureOf(near).x - middle.x)).toBeLessThan(15)
  for (let turn = 0; turn < 3; turn++) await page.mouse.wheel(0, 120)
  expectSame(await settled(page), before)

  await page.mouse.down()
  await page.mouse.move(middle.x - 80, middle.y + 50, { steps: 4 })
  await page.mouse.up()
  const { left, top, right, bottom } = before
  const moved = await settled(page)
  expectSame(moved, { left: left - 80, top: top + 50, right: right - 80, bottom: bottom + 50 })

  await page.mouse.click(figureOf(moved).x, figureOf(moved).y)
  await expect(panel(page, 'Ada')).toBeVisible()
  await page.mouse.click(700, 90)
  await expect(panel(page, 'Ada')).toBeHidden()
})

test('keys zoom, pan and show the whole map again', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const before = await settled(page)
  await map(page).focus()
  for (let press = 0; press < 3; press++) await page.keyboard.press('+')
  expect(height(await settled(page))).toBeGreaterThan(1.2 * height(before))
  for (let press = 0; press < 3; press++) await page.keyboard.press('-')
  expectSame(await settled(page), before)

  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowDown')
  const moved = await settled(page)
  expect(moved.left, 'a pan to the right moves Ada to the left').toBeLessThan(before.left - 20)
  expect(moved.top).toBeLessThan(before.top - 20)
  await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.press('Shift+ArrowUp')
  expectSame(await settled(page), before)

  await page.keyboard.press('0')
  expect(height(await settled(page)), 'the initial view is zoomed in on the occupants').toBeLessThan(height(before) - 5)
})

test('arrow keys reach and name every occupant on the map; Enter selects', async ({ page, host, world }) => {
  const names = ['Ada', 'Grace', 'Alan', 'weather']
  for (const name of names.slice(0, 3)) await world.agent(name)
  await world.mcp('weather')
  await open(page, host)
  await map(page).focus()
  const said = async (): Promise<string> => (await page.getByRole('status').last().textContent()) ?? ''
  for (const arrow of ['ArrowRight', 'ArrowLeft']) {
    const left = new Set(names)
    while (left.size > 0) {
      const before = await said()
      await page.keyboard.press(arrow)
      await expect.poll(said).not.toBe(before)
      const now = await said()
      const name = names.find((each) => now.includes(each))
      expect(left.delete(name ?? ''), `${arrow} reaches every occupant in turn: ${now}`).toBe(true)
    }
  }
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary')
  await expect(panel).toBeVisible()
  expect(names).toContain(await panel.getAttribute('aria-label'))
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(map(page)).toBeFocused()
})
