/** The page is for everybody: by keyboard, by screen reader, on a phone, in the dark, without motion. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident } from './fixtures/town.js'
import { stroll } from './fixtures/world.js'

for (const [name, options] of Object.entries({
  'in the light': { colorScheme: 'light' as const },
  'in the dark': { colorScheme: 'dark' as const },
  'on a phone': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
})) {
  test.describe(name, () => {
    test.use(options)

    test('nothing keeps a person out', async ({ page, host, world }) => {
      const ada = await world.agent('Ada', {
        enableP2a: 'on',
        assistTools: [
          { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } },
        ],
      })
      await world.mcp('weather')
      await world.space('The garden')
      await world.say(ada, 'Good morning')
      await world.journey(ada, stroll('Which book?', 'The blue one.'))
      await open(page, host)
      expect(await violations(page), 'the town').toEqual([])
      await resident(page, 'Ada').click()
      await expect(panel(page, 'Ada')).toBeVisible()
      expect(await violations(page), 'the panel').toEqual([])
    })
  })
}

test('axe sees what is wrong', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await page.evaluate(() => {
    document.querySelector('main')?.append(document.createElement('button'))
  })
  expect((await violations(page)).join()).toContain('button-name')
})

test('a phone has no sideways scrolling', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await world.agent('A name that is longer than any phone is wide, and goes on and on')
  await open(page, host)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('a phone hides the panels and shows them again, by keyboard too', async ({ page, host, world }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await world.agent('Ada')
  await open(page, host)
  await page.getByRole('button', { name: en['page.hide'] }).click()
  await expect(resident(page, 'Ada')).toBeHidden()
  await page.getByRole('button', { name: en['page.show'] }).press('Enter')
  await expect(resident(page, 'Ada')).toBeVisible()
})

test('the keyboard reaches a resident, and Escape leads back', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const ada = resident(page, 'Ada')
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(ada).toBeFocused({ timeout: 1 })
  }).toPass({ intervals: [0] })
  await page.keyboard.press('Enter')
  const about = panel(page, 'Ada')
  await expect(about).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
  await expect(ada).toBeFocused()
})

test.describe('where motion is not wanted', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('nothing is animated', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await open(page, host)
    await world.journey(ada, stroll('Which book?', 'The blue one.'))
    await world.agent('Grace')
    await expect(resident(page, 'Grace')).toBeVisible()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  })
})
