/** With forced colors, as in a system's high-contrast mode, selected elements remain distinguishable. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { bar, enter } from './fixtures/person.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident, show, status } from './fixtures/town.js'

test.use({ repository: false, contextOptions: { forcedColors: 'active' } })

const look = (of: Locator): Promise<string> => of.evaluate((element) => {
  const { backgroundColor, outlineStyle } = getComputedStyle(element)
  return `${backgroundColor} ${outlineStyle}`
})

/** Returns a system color, as computed at an element. */
const system = (of: Locator, name: string): Promise<string> => of.evaluate((element, color) => {
  const probe = element.ownerDocument.createElement('span')
  probe.style.cssText = `forced-color-adjust: none; color: ${color}`
  element.append(probe)
  const { color: computed } = getComputedStyle(probe)
  probe.remove()
  return computed
}, name)

test('the selected tab and row and the status lamp are visible', async ({ page, host, world }) => {
  await world.agent('Ada')
  await world.agent('Grace')
  await open(page, host)
  const tab = (name: 'residents' | 'places'): Locator => page.getByRole('tab', { name: en[`tab.${name}`] })
  expect(await look(tab('residents'))).not.toBe(await look(tab('places')))
  await show(page, 'places')
  expect(await look(tab('places'))).not.toBe(await look(tab('residents')))
  await show(page, 'residents')
  await resident(page, 'Ada').click()
  await expect(resident(page, 'Ada')).toHaveAttribute('aria-pressed', 'true')
  expect(await look(resident(page, 'Ada'))).not.toBe(await look(resident(page, 'Grace')))
  expect(await page.locator('.lamp.live').evaluate((lamp) => getComputedStyle(lamp, '::before').borderTopWidth)).toBe('5px')
})

test('a walking person can distinguish enabled, disabled and pressed buttons', async ({ page, host, world }) => {
  await world.enter()
  await open(page, host)
  await enter(page, 'Robin')
  const keys = bar(page).getByRole('button', { name: en['person.keys'] })
  await expect(keys).toHaveAttribute('aria-pressed', 'true')
  const [ink, paper] = await keys.evaluate((button) => { const { color, backgroundColor } = getComputedStyle(button); return [color, backgroundColor] })
  expect(paper).toBe(await system(keys, 'Highlight'))
  expect(ink).toBe(await system(keys, 'HighlightText'))
  const wave = bar(page).getByRole('button', { name: en['person.wave'] })
  await expect(wave).toBeDisabled()
  expect(await wave.evaluate((button) => getComputedStyle(button).color)).toBe(await system(wave, 'GrayText'))
  expect(await violations(page)).toEqual([])
})

test('plain words have no frame, and thick lines cover nothing', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.say(ada, 'Good morning')
  await open(page, host)
  const frame = (of: Locator): Promise<string> => of.evaluate((element) => getComputedStyle(element).borderTopWidth)
  expect(await frame(status(page).getByRole('button', { name: en['status.verified'] }))).toBe('0px')
  await show(page, 'happenings')
  expect(await frame(page.getByRole('article').getByRole('button', { name: 'Ada' }).first())).toBe('0px')
  await page.getByRole('article').getByRole('button', { name: 'Ada' }).first().click()
  const line = panel(page, 'Ada').locator('.nowline')
  expect(await line.evaluate((element) => getComputedStyle(element).borderBottomColor)).toBe(await system(line, 'Canvas'))
})

/** Returns the findings of axe, except contrast: axe uses the colors of the styles, not the forced ones. */
const found = async (page: Page): Promise<string[]> => (await violations(page)).filter((violation) => !violation.startsWith('color-contrast'))

test('the past and the wall are usable while a person is on the map', async ({ page, host, world, browser, pageErrors }) => {
  await world.agent('Ada')
  await open(page, host)
  await enter(page, 'Robin')
  const other = await (await browser.newContext({ forcedColors: 'active', reducedMotion: 'reduce' })).newPage()
  pageErrors.watch(other, host)
  await other.goto(`${host.url}/play/watch?view=wall`)
  await expect(other.locator('.truth')).toContainText(en['status.verified'])
  expect(await other.locator('.lamp.live').evaluate((lamp) => getComputedStyle(lamp, '::before').borderTopWidth)).toBe('5px')
  for (const part of ['.sign', '.clock']) expect(await other.locator(part).evaluate((element) => getComputedStyle(element).borderTopWidth), part).not.toBe('0px')
  expect(await found(other)).toEqual([])
  await other.context().close()

  await page.getByRole('button', { name: en['past.show'], exact: true }).click()
  const slider = page.getByRole('slider', { name: en['past.moment'] })
  await slider.press('End')
  const last = await slider.screenshot()
  await slider.press('Home')
  await expect(bar(page)).toContainText(en['person.past'])
  expect((await slider.screenshot()).equals(last), 'its position is visible').toBe(false)
  const live = page.getByRole('region', { name: en['past.bar'] }).getByRole('button', { name: en['past.live'], exact: true })
  expect(await live.evaluate((button) => getComputedStyle(button).color)).not.toBe(await live.evaluate((button) => getComputedStyle(button).backgroundColor))
  const wave = bar(page).getByRole('button', { name: en['person.wave'] })
  expect(await wave.evaluate((button) => getComputedStyle(button).color)).toBe(await system(wave, 'GrayText'))
  expect(await found(page)).toEqual([])
})
