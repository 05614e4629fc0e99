/** All functions of the page, without a pointer. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { map } from './fixtures/map.js'
import { feed, open, panel, resident, status, verified } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false })

/** Presses Tab until an element has the focus; each focused element on the way must show it. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press('Tab')
    if (await wanted.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`60 presses of Tab do not lead to ${String(wanted)}`)
}

test('the map is one Tab away and shows that it has the focus', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await tabTo(page, map(page))
  const ring = await map(page).evaluate((canvas) => {
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(canvas)
    return { outlineStyle, reach: parseFloat(outlineOffset) + parseFloat(outlineWidth) }
  })
  expect(ring.outlineStyle).not.toBe('none')
  expect(ring.reach, 'the ring is within the window that the map fills').toBeLessThanOrEqual(0)
})

test('search, follow, ask and call a tool', async ({ page, host, world }) => {
  for (const name of ['Alan', 'Grace']) await world.agent(name)
  const ada = await world.agent('Ada', {
    assistTools: [{ name: 'assist_route', description: 'Shows the way', parameters: { type: 'object', properties: { to: { type: 'string' } } } }],
  })
  await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
  await open(page, host)

  await tabTo(page, page.getByRole('link', { name: en['page.skip'] }))
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('tab', { name: en['tab.residents'] })).toBeFocused()
  await tabTo(page, page.getByRole('searchbox', { name: en['residents.find'] }))
  await page.keyboard.type('ada')
  await expect(resident(page, 'Grace')).toBeHidden()
  await tabTo(page, resident(page, 'Ada'))
  await page.keyboard.press('Enter')

  const about = panel(page, 'Ada')
  await expect(about.getByRole('heading', { name: 'Ada' })).toBeFocused()
  await tabTo(page, about.getByRole('textbox', { name: 'Message to Ada' }))
  await page.keyboard.type('Good morning')
  await page.keyboard.press('Enter')
  await expect(about.getByRole('article').getByText('Good morning')).toBeVisible()
  await page.keyboard.type('How are you?')
  const send = about.getByRole('button', { name: en['chat.send'] })
  await tabTo(page, send)
  await page.keyboard.press('Enter')
  await expect(about.getByRole('article').getByText('How are you?')).toBeVisible()
  await expect(send, 'it keeps its place without text to send').toBeFocused()

  await tabTo(page, about.getByRole('button', { name: 'Route' }))
  await page.keyboard.press('Enter')
  await expect(about.getByRole('form', { name: 'Route' }).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('the mill')
  await page.keyboard.press('Enter')
  await expect(about.getByRole('article').getByText('{"to":"the mill"}')).toBeVisible()

  await tabTo(page, about.getByRole('tab', { name: en['panel.talk'] }))
  await page.keyboard.press('End')
  await expect(about.getByRole('tab', { name: en['panel.facts'] })).toBeFocused()
  await page.keyboard.press('Home')
  await expect(about.getByRole('tab', { name: en['panel.talk'] })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await tabTo(page, about.getByRole('button', { name: en['journey.next'] }))
  await page.keyboard.press('Enter')
  const step = about.locator('[aria-current=step]')
  await expect(step).toContainText('Which book?')
  for (const words of ['search', 'cite', 'The blue one.', 'The blue one.']) {
    await page.keyboard.press('Enter')
    await expect(step).toContainText(words)
  }
  await expect(about.getByRole('button', { name: en['journey.next'] }), 'also at the end').toBeFocused()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
  await expect(resident(page, 'Ada')).toBeFocused()
})

test('the feed, its filters and the panels', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.say(ada, 'Good morning')
  await open(page, host)
  await tabTo(page, page.getByRole('tab', { name: en['tab.residents'] }))
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('tab', { name: en['tab.happenings'] })).toBeFocused()
  await expect(feed(page)).toBeVisible()
  await tabTo(page, page.getByRole('combobox', { name: en['feed.kind'] }))
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('combobox', { name: en['feed.kind'] })).toHaveValue('speech')
  await expect(feed(page).getByRole('article')).toHaveCount(1)
  await tabTo(page, page.getByRole('button', { name: en['feed.clear'] }))
  await page.keyboard.press('Enter')
  await expect(feed(page).getByRole('article')).toHaveCount(2)
  await tabTo(page, feed(page).getByRole('button', { name: 'Ada' }).first())
  await page.keyboard.press('Enter')
  await expect(panel(page, 'Ada')).toBeVisible()
  await tabTo(page, panel(page, 'Ada').getByRole('button', { name: en['page.close'] }))
  await page.keyboard.press('Enter')
  await expect(panel(page, 'Ada')).toBeHidden()

  const hide = page.getByRole('button', { name: en['page.hide'] })
  await hide.focus()
  await page.keyboard.press('Enter')
  await expect(feed(page)).toBeHidden()
  await expect(page.getByRole('button', { name: en['page.show'] })).toBeFocused()
})

test('a line, the proof, the past and the notifications', async ({ page, host, world }) => {
  const ada = await world.agent('Ada') // 1
  await world.say(ada, 'The river is high') // 2
  await world.agent('Grace') // 3
  await open(page, host, '/play/watch?tab=happenings')
  await tabTo(page, feed(page).getByRole('button', { name: 'The river is high' }))
  await page.keyboard.press('Enter')
  const fold = feed(page).getByRole('button', { name: en['feed.fold'], expanded: true })
  await expect(fold, 'it is the same button').toBeFocused()
  expect(await violations(page), 'an expanded line').toEqual([])
  await page.keyboard.press('Enter')
  await expect(fold).toBeHidden()
  await expect(feed(page).getByRole('button', { name: 'The river is high', expanded: false })).toBeFocused()

  const seal = status(page).getByRole('button', { name: en['status.verified'] })
  await tabTo(page, seal)
  await page.keyboard.press('Enter')
  const proof = page.getByRole('group', { name: en['proof.title'] })
  await expect(proof).toBeVisible()
  await tabTo(page, proof.getByRole('button', { name: en['proof.copy'] }).first())
  expect(await violations(page), 'the proof').toEqual([])
  await page.keyboard.press('Escape')
  await expect(proof).toBeHidden()
  await expect(seal).toBeFocused()

  await tabTo(page, page.getByRole('button', { name: en['past.show'], exact: true }))
  await page.keyboard.press('Enter')
  const bar = page.getByRole('region', { name: en['past.bar'] })
  await tabTo(page, bar.getByRole('slider', { name: en['past.moment'] }))
  await page.keyboard.press('Home')
  await expect(status(page)).toHaveAttribute('data-time', '1')
  await expect(bar).toHaveAttribute('data-proved', 'true')
  await page.keyboard.press('ArrowRight')
  await expect(status(page)).toHaveAttribute('data-time', '2')
  expect(await violations(page), 'the past').toEqual([])
  await tabTo(page, bar.getByRole('button', { name: en['past.live'] }))
  await page.keyboard.press('Enter')
  await verified(page)
  await tabTo(page, bar.getByRole('button', { name: en['past.close'] }))
  await page.keyboard.press('Enter')
  await expect(bar).toBeHidden()
  await expect(page.getByRole('button', { name: en['past.show'], exact: true })).toBeFocused()

  await tabTo(page, page.getByRole('button', { name: en['notify.title'], exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByText(en['notify.heading'])).toBeVisible()
  await tabTo(page, page.getByRole('textbox', { name: en['notify.word'] }))
  expect(await violations(page), 'the notifications').toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByText(en['notify.heading'])).toBeHidden()
})

test('closing a panel that a link opened moves the focus to its row', async ({ page, host, world }) => {
  await world.agent('Grace')
  const ada = await world.agent('Ada')
  await page.goto(`${host.url}/play/watch?agent=${ada}`)
  await verified(page)
  await expect(panel(page, 'Ada').getByRole('heading', { name: 'Ada' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page, 'Ada')).toBeHidden()
  await expect(resident(page, 'Ada')).toBeFocused()
  await resident(page, 'Ada').press('Enter')
  await expect(panel(page, 'Ada')).toBeVisible()
  await resident(page, 'Grace').press('Enter')
  await expect(panel(page, 'Grace').getByRole('heading', { name: 'Grace' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel(page, 'Grace')).toBeHidden()
  await expect(resident(page, 'Grace'), 'not the previous one').toBeFocused()
})
