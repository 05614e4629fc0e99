/** What is shown has an address: it can be shared, gone back from and come back to. */

import type { Page } from '@playwright/test'
import { violations } from './fixtures/axe.js'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show, status, verified } from './fixtures/town.js'

test.use({ repository: false })

const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams

test('Back closes what was opened, and Forward opens it again', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.agent('Grace')
  await open(page, host)
  await resident(page, 'Ada').click()
  await expect(panel(page, 'Ada')).toBeVisible()
  expect(query(page).get('agent')).toBe(ada)
  await resident(page, 'Grace').click()
  await show(page, 'happenings')
  await page.goBack()
  await expect(panel(page, 'Grace')).toBeHidden()
  await expect(feed(page), 'what else is shown stays').toBeVisible()
  expect(Object.fromEntries(query(page))).toEqual({ tab: 'happenings' })
  await page.goForward()
  await expect(panel(page, 'Grace')).toBeVisible()
  await panel(page, 'Grace').getByRole('button', { name: en['page.close'] }).click()
  await expect.poll(() => query(page).has('agent')).toBe(false)
})

test('a load keeps what is shown, and a token is in no address', async ({ page, host, world, conduct }) => {
  conduct.expect(/status of 401/)
  await world.agent('Ada')
  const grace = await world.agent('Grace')
  await world.say(grace, 'The river is high')
  await open(page, host, '/play/watch#token=pt_nothing')
  await show(page, 'happenings')
  await page.getByRole('searchbox', { name: en['feed.text'] }).fill('river')
  await page.getByRole('button', { name: en['page.hide'] }).click()
  await expect.poll(() => Object.fromEntries(query(page))).toEqual({ tab: 'happenings', text: 'river', view: 'map' })
  await page.reload()
  await verified(page)
  await page.getByRole('button', { name: en['page.show'] }).click()
  await expect(page.getByRole('searchbox', { name: en['feed.text'] })).toHaveValue('river')
  expect(page.url()).not.toContain('token')
})

test('a moment from before the page was opened is shared, and opened by another browser', async ({ page, context, browser, host, world, conduct }) => {
  const ada = await world.agent('Ada')
  await world.say(ada, 'The first word')
  for (let line = 1; line <= 230; line++) await world.say(ada, `line ${line}`)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, host)
  await resident(page, 'Ada').click()
  await page.getByRole('button', { name: en['page.share'], exact: true }).click()
  await expect(page.getByRole('button', { name: en['page.shared'] })).toBeVisible()
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()))
  expect([...link.searchParams.keys()].sort()).toEqual(['agent', 'sid', 't', 'tab'])
  expect(link.searchParams.get('t')).toBe('232')
  link.searchParams.set('t', '2')
  link.searchParams.delete('tab')
  const other = await browser.newContext()
  const there = await other.newPage()
  conduct.watch(there, host)
  await there.goto(link.href)
  await expect(panel(there, 'Ada')).toBeVisible()
  await expect(feed(there).locator('[aria-current]')).toContainText('The first word')
  await expect(feed(there).locator('[aria-current]')).toBeInViewport()
  expect(await violations(there)).toEqual([])
  await there.goto(`${host.url}/play/watch?t=2&sid=another`)
  await expect(there.getByText(en['link.session'])).toBeVisible()
  await there.goto(`${host.url}/play/watch?agent=nobody`)
  await expect(there.getByText(en['link.nobody'])).toBeVisible()
  await expect(status(there)).toBeVisible()
  await there.goto('about:blank')
  await other.close()
})
