/** In forced colors, as of a system's high contrast, what is chosen can still be told. */

import type { Locator } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { open, resident, show } from './fixtures/town.js'

test.use({ repository: false, contextOptions: { forcedColors: 'active' } })

const look = (of: Locator): Promise<string> => of.evaluate((element) => {
  const { backgroundColor, outlineStyle } = getComputedStyle(element)
  return `${backgroundColor} ${outlineStyle}`
})

test('the chosen tab and row, and the lamp, are seen', async ({ page, host, world }) => {
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
