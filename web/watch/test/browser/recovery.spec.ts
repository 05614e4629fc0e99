/** The page recovers by itself after any failure of its host, its world or its access. */

import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { violations } from './fixtures/axe.js'
import { feed, open, resident, residents, show, status, verified } from './fixtures/town.js'
import { World } from './fixtures/world.js'

/** The browser's own messages about a closed or refused connection. */
const cut = /Failed to load resource|ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|INTERNET_DISCONNECTED|EMPTY_RESPONSE)/

test.use({ repository: false })

test('after a kill of the host nothing is lost or repeated', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  const ada = await world.agent('Ada')
  await open(page, host)
  await show(page, 'happenings')
  await world.say(ada, 'line number 1')
  await expect(feed(page).getByText('line number 1', { exact: true })).toBeVisible()
  await host.kill()
  await expect(status(page).getByText(en['status.live'], { exact: true })).toBeHidden()
  expect(await violations(page), 'without a host').toEqual([])
  await status(page).getByRole('button', { name: en['status.retry'] }).focus()
  await host.start()
  for (const number of [2, 3, 4]) await world.say(ada, `line number ${number}`)
  await expect(feed(page).getByText('line number 4', { exact: true })).toBeVisible()
  await verified(page)
  await expect(status(page), 'the focus moves when the button to retry is removed').toBeFocused()
  for (const number of [1, 2, 3, 4]) {
    await expect(feed(page).getByText(`line number ${number}`, { exact: true })).toHaveCount(1)
  }
  await show(page, 'residents')
  await expect(resident(page, 'Ada'), 'an earlier resident is not new').not.toHaveAccessibleDescription(new RegExp(`${en['residents.new']}$`))
})

test('after a clean restart of the host everything is as before', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  const ada = await world.agent('Ada')
  await open(page, host)
  await show(page, 'happenings')
  await host.stop()
  await host.start()
  await world.say(ada, 'I am still here')
  await expect(feed(page).getByText('I am still here', { exact: true })).toHaveCount(1)
  await verified(page)
})

test('a host that lost its store is a new world', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  await world.agent('Ada')
  await open(page, host)
  await host.kill()
  host.forget()
  await host.start()
  await world.enter()
  await world.agent('Grace')
  await expect(resident(page, 'Grace')).toBeVisible()
  await expect(resident(page, 'Ada')).toHaveCount(0)
  await verified(page)
})

test('a host that went back is not shown as verified, and later residents are not shown as departures', async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  const ada = await world.agent('Ada')
  await host.stop()
  host.copy()
  await host.start()
  await open(page, host)
  const recentlyLeft = page.getByRole('region', { name: en['presence.recentlyLeft'] })
  await world.leave(await world.agent('Lin'))
  await world.agent('Grace')
  await expect(resident(page, 'Grace')).toBeVisible()
  await expect(recentlyLeft.getByRole('listitem')).toHaveText([/^Lin/])
  await world.say(ada, 'Good evening')
  await host.stop()
  host.putBack()
  await host.start()
  await expect(resident(page, 'Grace')).toHaveCount(0)
  await expect(status(page)).toHaveAttribute('data-verified', 'went-back')
  await expect(resident(page, 'Ada')).toBeVisible()
  await expect(recentlyLeft).toHaveCount(0)
  await status(page).getByRole('button', { name: en['status.wentBack'] }).click()
  await expect(status(page)).toContainText('an older copy of its store')
  expect(await violations(page), 'after the host went back').toEqual([])
})

test('the page waits for a host that is unreachable while it loads', async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  await world.agent('Ada')
  // The page is loaded, and the host ends before its first request.
  await page.route('**/play/watch/session', async (route) => {
    await host.kill()
    await route.continue()
  }, { times: 1 })
  await page.goto(`${host.url}/play/watch`)
  await expect(page.getByRole('heading', { name: en['unreachable.title'] })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await host.start()
  await verified(page)
  await expect(resident(page, 'Ada')).toBeVisible()
})

test('a reset empties the map, and the new session is followed', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  for (const name of ['Ada the second', 'Ada the third']) {
    await world.reset()
    await expect(residents(page)).toHaveCount(0)
    await expect(page.getByRole('region', { name: en['presence.recentlyLeft'] }), 'no departure is listed for another world').toHaveCount(0)
    await world.register(ada, name)
    await expect(resident(page, name)).toBeVisible()
    await verified(page)
  }
  await show(page, 'happenings')
  await expect(feed(page).getByText(en['event.reset'])).toHaveCount(2)
})

test('a reset that the page has missed is detected', async ({ page, context, host, world, pageErrors }) => {
  pageErrors.expect(cut)
  const ada = await world.agent('Ada')
  await open(page, host)
  await context.setOffline(true)
  await host.kill()
  await expect(status(page).getByText(en['status.live'], { exact: true })).toBeHidden()
  await host.start()
  await world.reset()
  await world.register(ada, 'Ada the second')
  await context.setOffline(false)
  await expect(resident(page, 'Ada the second')).toBeVisible()
  await expect(resident(page, 'Ada')).toHaveCount(0)
  await verified(page)
})

test.describe('on a host that requires a token', () => {
  test.use({ hostFlags: ['--watch-access', 'token'], repository: true })

  test('access ends with its account, and a new link grants it again', { tag: '@usual' }, async ({ page, context, host, world, pageErrors }) => {
    pageErrors.expect(/status of 40[13]/)
    await world.agent('Ada')
    await page.goto(`${host.url}/play/watch#token=${await world.watchToken()}`)
    await verified(page)
    await world.close()
    await expect(page.getByRole('heading', { name: en['refused.expiredTitle'] })).toBeVisible()
    await expect(page.getByText('Ada')).toHaveCount(0)
    expect(await violations(page)).toEqual([])

    // A link opened in another tab gives access to both, because the browser has the cookie.
    const again = await World.on(host)
    await again.agent('Grace')
    const beside = await context.newPage()
    pageErrors.watch(beside, host)
    await beside.goto(`${host.url}/play/watch#token=${await again.watchToken()}`)
    await verified(beside)
    await beside.close()
    await page.getByRole('button', { name: en['refused.again'] }).click()
    await verified(page)
    await expect(resident(page, 'Grace')).toBeVisible()
  })
})
