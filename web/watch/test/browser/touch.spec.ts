/** The whole page used with one hand on a phone: without keys and without a mouse. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { Fingers, figureOf, settled } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, status, verified } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, contextOptions: { reducedMotion: 'reduce' } })

const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' }, quick: { type: 'boolean' } }, required: ['to', 'quick'] } }

/** Taps at the position of an element, like a finger: an element that covers it gets the tap. */
async function tap(wanted: Locator): Promise<void> {
  await wanted.scrollIntoViewIfNeeded()
  await expect(wanted).toBeInViewport()
  await wanted.tap()
}

const tab = (page: Page, name: 'residents' | 'places' | 'happenings'): Locator => page.getByRole('tab', { name: en[`tab.${name}`] })

test('a resident is selected on the map, asked, and read about', async ({ page, host, world }) => {
  const ada = await world.agent('Ada', { assistTools: [tool] })
  await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
  await open(page, host)
  const { x, y } = figureOf(await settled(page))
  await page.touchscreen.tap(x, y)
  const about = panel(page, 'Ada')
  await expect(about).toBeVisible()

  await tap(about.getByRole('textbox', { name: 'Message to Ada' }))
  // As the on-screen keyboard does.
  await page.keyboard.insertText('Good morning')
  await tap(about.getByRole('button', { name: en['chat.send'] }))
  await expect(about.getByRole('article').getByText('Good morning')).toBeVisible()
  expect(await violations(page), 'asking').toEqual([])

  await tap(about.getByRole('button', { name: 'Route' }))
  const form = about.getByRole('form', { name: 'Route' })
  await tap(form.getByRole('textbox').first())
  await page.keyboard.insertText('the mill')
  await tap(form.getByRole('button', { name: en['assist.send'] }))
  await expect(form.getByText(en['field.missing'])).toBeVisible()
  expect(await violations(page), 'an empty form').toEqual([])
  await form.getByRole('combobox').selectOption({ label: en['assist.yes'] })
  await tap(form.getByRole('button', { name: en['assist.send'] }))
  await expect(about.getByRole('article').getByText('the mill')).toBeVisible()

  await tap(about.getByRole('tab', { name: en['panel.story'] }))
  await tap(about.getByRole('button', { name: en['journey.next'] }))
  await expect(about.locator('[aria-current=step]')).toContainText('Which book?')
  await tap(about.getByRole('button', { name: en['panel.follow'], exact: true }))
  await expect(about.getByRole('button', { name: en['panel.follow'], exact: true })).toHaveAttribute('aria-pressed', 'true')
  expect(await violations(page), 'following').toEqual([])
  await tap(about.getByRole('tab', { name: en['panel.facts'] }))
  await tap(about.getByRole('button', { name: en['prove.button'] }))
  await expect(about.getByRole('img')).toBeVisible()
  expect(await violations(page), 'a proved row').toEqual([])
  await tap(about.getByRole('button', { name: en['page.close'], exact: true }))
  await expect(about).toBeHidden()
})

test('events are searched, and the past is browsed', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.say(ada, 'The river is high')
  await world.agent('Grace')
  await open(page, host)
  for (const name of ['places', 'happenings'] as const) await tap(tab(page, name))
  await tap(page.getByRole('searchbox', { name: en['feed.text'] }))
  await page.keyboard.insertText('bridge')
  await expect(page.getByText(en['feed.noneMatch'])).toBeVisible()
  expect(await violations(page), 'a filter without matches').toEqual([])
  await tap(page.getByRole('button', { name: en['feed.clear'] }))
  await tap(feed(page).getByRole('button', { name: 'The river is high' }))
  const fold = feed(page).getByRole('button', { name: en['feed.fold'] })
  await expect(fold).toBeVisible()
  expect(await violations(page), 'an expanded line').toEqual([])
  await tap(fold)
  await expect(fold).toBeHidden()

  await tap(status(page).getByRole('button', { name: en['status.verified'] }))
  const proof = page.getByRole('group', { name: en['proof.title'] })
  await expect(proof).toBeVisible()
  expect(await violations(page), 'the proof').toEqual([])
  await tap(status(page).getByRole('button', { name: en['status.verified'] }))
  await expect(proof).toBeHidden()

  await tap(page.getByRole('button', { name: en['past.show'], exact: true }))
  const bar = page.getByRole('region', { name: en['past.bar'] })
  const track = bar.getByRole('slider', { name: en['past.moment'] })
  await expect(track).toBeVisible()
  const box = await track.boundingBox()
  if (box === null) throw new Error('the bar is not shown')
  const fingers = await Fingers.on(page)
  const height = box.y + box.height / 2
  await fingers.drag([{ x: box.x + box.width - 6, y: height }, { x: box.x + 2, y: height }])
  await expect(status(page)).toHaveAttribute('data-time', '1')
  await expect(bar).toHaveAttribute('data-proved', 'true')
  await tap(tab(page, 'residents'))
  await expect(resident(page, 'Grace')).toBeHidden()
  expect(await violations(page), 'the past').toEqual([])
  await tap(bar.getByRole('button', { name: en['past.on'] }))
  await expect(status(page)).toHaveAttribute('data-time', '2')
  await tap(bar.getByRole('button', { name: en['past.live'] }))
  await verified(page)
  await tap(bar.getByRole('button', { name: en['past.close'] }))
  await expect(bar).toBeHidden()
})

test('the map only, a link to it, and the notifications', async ({ page, host, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await world.agent('Ada')
  await open(page, host)
  await tap(page.getByRole('button', { name: en['page.hide'] }))
  await expect(tab(page, 'residents')).toBeHidden()
  expect(await violations(page), 'the map only').toEqual([])
  const far = await settled(page)
  await tap(page.getByRole('button', { name: en['map.zoomIn'] }))
  const near = await settled(page)
  expect(near.bottom - near.top).toBeGreaterThan(far.bottom - far.top)
  await tap(page.getByRole('button', { name: en['map.fit'] }))
  await tap(page.getByRole('button', { name: en['page.share'], exact: true }))
  expect(new URL(await page.evaluate(() => navigator.clipboard.readText())).searchParams.get('view')).toBe('map')
  await tap(page.getByRole('button', { name: en['page.show'] }))
  await tap(page.getByRole('button', { name: en['notify.title'], exact: true }))
  await expect(page.getByText(en['notify.heading'])).toBeVisible()
  expect(await violations(page), 'the notifications').toEqual([])
  await page.goBack()
  await expect(page.getByText(en['notify.heading'])).toBeHidden()
})
