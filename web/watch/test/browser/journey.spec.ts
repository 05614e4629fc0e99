/** A journey: a trail on the map, and a timeline beside it, which can be followed step by step. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { type Extent, map, settled } from './fixtures/map.js'
import { open, panel, part, resident } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false })

const steps = ['Which book?', 'search', 'cite', 'The blue one.']
const current = (about: Locator): Locator => about.locator('[aria-current=step]')
const button = (about: Locator, key: 'journey.next' | 'journey.previous' | 'journey.walk' | 'journey.pause'): Locator =>
  about.getByRole('button', { name: en[key] })

/** Opens the panel of Ada, who has been on a journey. */
async function openStory(page: Page): Promise<Locator> {
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')
  await part(page, 'story')
  for (const text of steps) await expect(about.getByText(text).first()).toBeVisible()
  await expect(current(about)).toHaveCount(0)
  return about
}

/** Advances the page's clock, faster than real time, until a condition is true. */
async function advanceUntil(page: Page, condition: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.clock.fastForward(400)
    await condition()
  }).toPass({ intervals: [0], timeout: 15_000 })
}

/** Reports whether a figure is at the same place: its head is at the same height. Its name may be on any side of it. */
const atSamePlace = (a: Extent, b: Extent): boolean => Math.abs(a.top - b.top) < 5 && a.left < b.right - 20 && b.left < a.right - 20

test.describe('step by step', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test.describe('with the whole town in view', () => {
    test.use({ viewport: { width: 1600, height: 800 } })

    test('the traveler stands at the position of each step', async ({ page, host, world }) => {
      await page.clock.install()
      const ada = await world.agent('Ada')
      await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
      await open(page, host)
      const about = await openStory(page)
      await map(page).press('0')
      const home = await settled(page)
      const places: Extent[] = []
      for (const text of steps) {
        await button(about, 'journey.next').click()
        await expect(current(about)).toContainText(text)
        places.push(await settled(page))
      }
      await expect(button(about, 'journey.next')).toBeDisabled()
      const [asked, searched, cited, answered] = places as [Extent, Extent, Extent, Extent]
      expect([asked, searched, cited, answered].map((place) => atSamePlace(place, home)), 'the question and the answer are at home').toEqual([true, false, false, true])
      expect(atSamePlace(searched, cited), 'another tool is at another position').toBe(false)

      await button(about, 'journey.previous').click()
      await expect(current(about)).toContainText('cite')
      expect(atSamePlace(await settled(page), cited)).toBe(true)
      await about.getByRole('button', { name: 'Used search' }).click()
      await expect(current(about)).toContainText('search')
      expect(atSamePlace(await settled(page), searched)).toBe(true)
      await page.clock.fastForward(10_000)
      expect(atSamePlace(await settled(page), searched), 'and stays there').toBe(true)
      await expect(current(about)).toContainText('search')
      await button(about, 'journey.pause').click()
      await expect(current(about)).toHaveCount(0)
      expect(atSamePlace(await settled(page), home), 'and returns home').toBe(true)
    })
  })

  test('it stays in view, outside the panels', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
    await open(page, host)
    const about = await openStory(page)
    const [register, beside] = await Promise.all([page.getByRole('region', { name: en['page.world'] }).boundingBox(), about.boundingBox()])
    for (const text of steps) {
      await button(about, 'journey.next').click()
      await expect(current(about)).toContainText(text)
      const { left, right } = await settled(page)
      expect(left, text).toBeGreaterThan((register?.x ?? 0) + (register?.width ?? 0))
      expect(right, text).toBeLessThan(beside?.x ?? 0)
    }
  })
})

test('its steps show how long they took and why they failed', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const failure = { startedAt: '2026-01-02T03:04:05.000Z', completedAt: '2026-01-02T03:04:07.400Z', error: 'No <b>books</b>\nhere' }
  await world.journey(ada, journeySteps('Which book?', 'The blue one.').map((step) => 'toolName' in step && step.toolName === 'search' ? { ...step, ...failure } : step))
  await open(page, host)
  await expect((await openStory(page)).locator('.timeline li')).toContainText(['Which book?', /Used search · 2\.4 sec.*Error No <b>books<\/b> here/s, /Used cite(?! ·)/, 'The blue one.'])
})

test('it is played on the map to its end, or until it is paused', async ({ page, host, world }) => {
  await page.clock.install()
  const ada = await world.agent('Ada')
  await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
  await open(page, host)
  const about = await openStory(page)
  await button(about, 'journey.walk').click()
  for (const text of steps) await advanceUntil(page, () => expect(current(about)).toContainText(text, { timeout: 1 }))
  await advanceUntil(page, () => expect(button(about, 'journey.walk'), 'it ends by itself').toBeVisible({ timeout: 1 }))
  await expect(current(about)).toHaveCount(0)

  await button(about, 'journey.walk').click()
  await advanceUntil(page, () => expect(current(about)).toContainText('search', { timeout: 1 }))
  await button(about, 'journey.pause').click()
  await expect(current(about)).toHaveCount(0)

  await world.journey(ada, journeySteps('Where is the mill?', 'Behind the bridge.'))
  await expect(about.getByText('Behind the bridge.').first(), 'the last journey is the newest').toBeVisible()
})
