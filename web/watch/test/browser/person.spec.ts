/** A person in the town, against a real host: the person walks, and others see it. */

import type { Browser, Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import type { Host } from './fixtures/host.js'
import { map } from './fixtures/map.js'
import { bar, cellOf, enter, entry, joinButton } from './fixtures/person.js'
import { type PageErrors, expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, residents, show, verified } from './fixtures/town.js'

/** Opens the page in another browser, which has another cookie. */
async function openOther(browser: Browser, host: Host, pageErrors: PageErrors): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  pageErrors.watch(page, host)
  await open(page, host)
  return page
}

/** Walks by the keyboard to a cell beside an occupant, who stands still. */
async function walkTo(page: Page, name: string, who: string, [toX, toY]: [x: number, y: number]): Promise<void> {
  for (let step = 0; step < 40; step++) {
    const [x, y] = await cellOf(page, name)
    if (Math.hypot(toX - x, toY - y) < 1.6) break
    await map(page).press(toX > x ? 'd' : toX < x ? 'a' : toY > y ? 's' : 'w')
    await expect.poll(() => cellOf(page, name)).not.toEqual([x, y])
  }
  await expect(bar(page).getByText(`${who} is beside you.`)).toBeVisible()
}

test('another person sees a walk, a wave and the departure', { tag: '@usual' }, async ({ page, host, world, browser, pageErrors }) => {
  await world.agent('Ada')
  await open(page, host)
  const other = await openOther(browser, host, pageErrors)
  await enter(page, 'Robin')
  await expect(entry(other, 'Robin')).toContainText(en['residents.kind.human'])
  await expect(entry(other, 'Robin')).not.toContainText(en['map.you'])
  await expect(other.getByText('1 agent · 1 person')).toBeVisible()

  const before = await cellOf(other, 'Robin')
  await map(page).press('ArrowRight')
  await expect.poll(() => cellOf(other, 'Robin')).not.toEqual(before)
  expect(await cellOf(page, 'Robin')).toEqual(await cellOf(other, 'Robin'))

  await walkTo(page, 'Robin', 'Ada', await world.cellOf('Ada'))
  await map(page).press('v')
  await expect(bar(page).getByText('You waved at Ada.')).toBeVisible()
  await show(other, 'happenings')
  await expect(feed(other).getByText('Robin waves at Ada')).toBeVisible()
  await expect(feed(other).getByText('Robin walked to'), 'walks are omitted from all events').toBeHidden()
  await other.getByRole('combobox', { name: en['feed.kind'] }).selectOption('presence')
  await expect(feed(other).getByText('Robin walked to').first()).toBeVisible()

  await bar(page).getByRole('button', { name: en['person.leave'] }).click()
  await expect(bar(page)).toBeHidden()
  await show(other, 'residents')
  await expect(resident(other, 'Robin')).toBeHidden()
  await expect(joinButton(page)).toBeVisible()
  await other.context().close()
})

test('another person is waved at, and the panel states who it is', async ({ page, host, world, browser, pageErrors }) => {
  await world.enter()
  await open(page, host)
  const other = await openOther(browser, host, pageErrors)
  await enter(page, 'Robin')
  await enter(other, 'Kim')
  await walkTo(other, 'Kim', 'Robin', await cellOf(other, 'Robin'))
  const wave = bar(other).getByRole('button', { name: en['person.wave'] })
  await expect(bar(other).getByRole('button', { name: en['person.talk'] })).toBeDisabled()
  await wave.click()
  await expect(bar(other).getByText('You waved at Robin.')).toBeVisible()
  await show(page, 'happenings')
  await expect(feed(page).getByText('Kim waves at Robin')).toBeVisible()
  await show(page, 'residents')
  await resident(page, 'Kim').click()
  await expect(panel(page, 'Kim').getByText('Place')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await other.context().close()
})

test('closing the page removes the person, and the name is kept', async ({ page, host, world, browser, pageErrors }) => {
  await world.agent('Ada')
  await open(page, host)
  const other = await openOther(browser, host, pageErrors)
  await enter(page, 'Robin')
  await expect(resident(other, 'Robin')).toBeVisible()
  await page.goto('about:blank')
  await expect(resident(other, 'Robin'), 'before its lease expires').toBeHidden({ timeout: 4000 })
  await open(page, host)
  await joinButton(page).click()
  await expect(page.getByRole('textbox', { name: en['person.name'] })).toHaveValue('Robin')
  await other.context().close()
})

test('a removed person sees why, and returns', { tag: '@usual' }, async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await enter(page, 'Robin')
  await world.reset()
  await expect(bar(page).getByText(en['person.gone.reset'])).toBeVisible()
  expect(await violations(page)).toEqual([])
  await bar(page).getByRole('button', { name: en['person.back'] }).click()
  await expect(entry(page, 'Robin')).toContainText(en['map.you'])
})

test('a restarted host still has the person, who continues to walk', async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(/Failed to load resource|ERR_/)
  await world.agent('Ada')
  await open(page, host)
  await enter(page, 'Robin')
  await host.kill()
  await host.start()
  await verified(page)
  await expect(bar(page).getByRole('button', { name: en['person.leave'] })).toBeVisible()
  const before = await cellOf(page, 'Robin')
  await map(page).press(before[0] > 10 ? 'a' : 'd')
  await expect.poll(() => cellOf(page, 'Robin')).not.toEqual(before)
})

test('by keyboard only', async ({ page, host, serve, world }) => {
  await serve('Ada')
  await open(page, host)
  const tabTo = async (wanted: Locator): Promise<void> => {
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press('Tab')
      if (await wanted.evaluate((element) => element === document.activeElement)) return
    }
    throw new Error(`60 presses of Tab do not lead to ${String(wanted)}`)
  }
  await tabTo(joinButton(page))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: en['person.name'] })).toBeFocused()
  expect(await violations(page), 'the name').toEqual([])
  await page.keyboard.type('Robin')
  await page.keyboard.press('Enter')
  await expect(map(page)).toBeFocused()
  await expect(page.getByText(en['person.entered'])).toBeAttached()
  await walkTo(page, 'Robin', 'Ada', await world.cellOf('Ada'))
  await expect(page.getByText('Ada is beside you. T talks, V waves.')).toBeAttached()
  expect(await violations(page), 'beside an occupant').toEqual([])
  for (const [key, said] of [['v', 'You waved at Ada.'], ['z', 'You entered the zone of Ada.'], ['y', 'Ada gave way to you.']] as const) {
    await page.keyboard.press(key)
    await expect(bar(page).getByText(said)).toBeVisible()
  }
  await page.keyboard.press('Enter')
  const message = panel(page, 'Ada').getByRole('textbox', { name: 'Message to Ada' })
  await expect(message).toBeFocused()
  await page.keyboard.type('Good day')
  await page.keyboard.press('Enter')
  await expect(panel(page, 'Ada').getByText('You said: Good day').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(panel(page, 'Ada')).toBeHidden()

  // The arrow keys go through the residents again, and Enter selects.
  await map(page).focus()
  await page.keyboard.press('m')
  await expect(bar(page).getByRole('button', { name: en['person.keys'] })).toHaveAttribute('aria-pressed', 'false')
  const there = await cellOf(page, 'Robin')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary')).toBeVisible()
  expect(await cellOf(page, 'Robin')).toEqual(there)
  await page.keyboard.press('Escape')

  await map(page).focus()
  await tabTo(bar(page).getByRole('button', { name: en['person.wave'] }))
  await page.keyboard.press('Enter')
  await expect(bar(page).getByText('You waved at Ada.')).toBeVisible()
  await tabTo(bar(page).getByRole('button', { name: en['person.leave'] }))
  await page.keyboard.press('Enter')
  await expect(map(page)).toBeFocused()
  await expect(residents(page).getByRole('button')).toHaveCount(1)
})

test('a visitor who may only watch sees no button', async ({ page, host, world }) => {
  await world.agent('Ada')
  await page.route('**/play/watch/session', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...await reply.json() as object, scope: 'watch' } })
  })
  await open(page, host)
  await expect(joinButton(page)).toBeHidden()
})

test.describe('by touch only', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test('a person joins, walks with the stick, waves and leaves', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    await joinButton(page).tap()
    await page.getByRole('textbox', { name: en['person.name'] }).tap()
    // As the on-screen keyboard does.
    await page.keyboard.insertText('Robin')
    await page.getByRole('button', { name: en['person.enter'], exact: true }).tap()
    const stick = bar(page).getByRole('group', { name: en['person.stick'] })
    await expect(stick).toBeVisible()
    await expect(resident(page, 'Robin')).toBeVisible()
    for (const button of await stick.getByRole('button').all()) {
      const box = await button.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    }
    expect(await violations(page)).toEqual([])
    const before = await cellOf(page, 'Robin')
    const box = await stick.boundingBox()
    if (box === null) throw new Error('the stick is not shown')
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share?: number): Promise<unknown> => session.send('Input.dispatchTouchEvent', {
      type, touchPoints: share === undefined ? [] : [{ x: box.x + box.width * share, y: box.y + box.height / 2 }],
    })
    const way = before[0] < 10 ? 0.95 : 0.05
    await touch('touchStart', 0.5)
    await touch('touchMove', way)
    await touch('touchEnd')
    await expect.poll(() => cellOf(page, 'Robin')).toEqual([before[0] + (way > 0.5 ? 1 : -1), before[1]])
    await bar(page).getByRole('button', { name: en['person.leave'] }).tap()
    await expect(resident(page, 'Robin')).toBeHidden()
  })
})
