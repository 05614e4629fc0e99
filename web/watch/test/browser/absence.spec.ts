/** Ends of a person's figure in the town: by the lease, the access, the session or the host; and a town without room. */

import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { map } from './fixtures/map.js'
import { ask, bar, cellOf, enter, entry, joinButton } from './fixtures/person.js'
import type { Host } from './fixtures/host.js'
import { expect, test } from './fixtures/test.js'
import { open, resident, residents, status, verified } from './fixtures/town.js'

const cut = /Failed to load resource|ERR_/

/** The address for requests of a person to enter, move and leave. */
const personURL = async (host: Host): Promise<string> => {
  const { sid } = await (await fetch(`${host.url}/api/play/session`)).json() as { sid: string }
  return `${host.url}/api/play/person?sid=${sid}`
}

/** Puts a person on the map with another cookie, like another browser; a host without accounts gives it to everyone. */
async function addOtherPerson(host: Host, name: string): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: host.url, 'sec-fetch-site': 'same-origin' }
  const session = await fetch(`${host.url}/play/watch/session`, { method: 'POST', headers, body: '{}' })
  const cookie = session.headers.getSetCookie().map((line) => line.split(';')[0] ?? '').join('; ')
  const put = await fetch(await personURL(host), { method: 'PUT', headers: { ...headers, cookie }, body: JSON.stringify({ name, x: 1, y: 1 }) })
  expect(put.status, await put.text()).toBe(200)
}

/** Returns the stable key of an occupant. */
const keyOf = (page: Page, name: string): Promise<string> => resident(page, name).getAttribute('data-key').then(String)

test.describe('on a host without access control', () => {
  test.use({ repository: false })

  test('at most fifty people are on the map; another one sees why and joins later', async ({ page, host, world, pageErrors }) => {
    pageErrors.expect(/status of 400/)
    for (let number = 1; number <= 50; number++) await addOtherPerson(host, `Guest ${number}`)
    await open(page, host)
    await expect(page.getByText('0 agents · 50 people')).toBeVisible()
    await ask(page, 'Robin')
    await expect(page.getByRole('alert')).toContainText(en['fault.peopleLimit'])
    await expect(page.getByRole('textbox', { name: en['person.name'] }), 'it can be retried').toHaveValue('Robin')
    expect(await violations(page)).toEqual([])
    await world.remove(await keyOf(page, 'Guest 1'))
    await expect(resident(page, 'Guest 1')).toBeHidden()
    await page.getByRole('button', { name: en['person.enter'], exact: true }).click()
    await expect(entry(page, 'Robin')).toContainText(en['map.you'])
    await expect(bar(page)).toBeVisible()
  })

  test('a person without renewals for the lease time is removed, sees why and returns', async ({ page, host, world, pageErrors }) => {
    pageErrors.expect(cut)
    await world.agent('Ada')
    await open(page, host)
    await enter(page, 'Robin')
    const [x, y] = await cellOf(page, 'Robin')
    // A request with the same cookie sets the shortest lease, and the page cannot renew it.
    await page.route('**/api/play/person*', (route) => route.abort())
    const url = await personURL(host)
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const short = await fetch(url, {
      method: 'PUT', body: JSON.stringify({ name: 'Robin', x, y, leaseTtlSeconds: 5 }), headers: { cookie, 'content-type': 'application/json', origin: host.url, 'sec-fetch-site': 'same-origin' },
    })
    expect(short.status).toBe(200)
    await expect(bar(page).getByText(en['person.gone.lease'])).toBeVisible()
    await expect(resident(page, 'Robin')).toBeHidden()
    expect(await violations(page)).toEqual([])
    await page.unroute('**/api/play/person*')
    await bar(page).getByRole('button', { name: en['person.back'] }).click()
    await expect(entry(page, 'Robin')).toContainText(en['map.you'])
  })

  test('a person that the administrator removes while walking sees why', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    await enter(page, 'Robin')
    await page.keyboard.down('d')
    await world.remove(await keyOf(page, 'Robin'))
    await expect(bar(page).getByText(en['person.gone.admin'])).toBeVisible()
    await page.keyboard.up('d')
    await bar(page).getByRole('button', { name: en['page.close'] }).click()
    await expect(joinButton(page)).toBeVisible()
    await expect(map(page)).toBeFocused()
  })

  test('the administrator resets the session while a person walks', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    await enter(page, 'Robin')
    await page.keyboard.down('d')
    await world.reset()
    await expect(bar(page).getByText(en['person.gone.reset'])).toBeVisible()
    await page.keyboard.up('d')
    await expect(residents(page)).toHaveCount(0)
    await verified(page)
  })

  test('a host exits while a person walks, and restarts with another world', async ({ page, host, world, pageErrors }) => {
    pageErrors.expect(cut)
    await world.agent('Ada')
    await open(page, host)
    await enter(page, 'Robin')
    await page.keyboard.down('d')
    await host.stop()
    await expect(status(page)).toHaveAttribute('data-connection', /reconnecting|host-gone/)
    await page.keyboard.up('d')
    await expect(bar(page).getByText(en['fault.unreachable'])).toBeVisible()
    await expect(bar(page).getByRole('button', { name: en['person.leave'] }), 'a person can still leave').toBeVisible()
    expect(await violations(page)).toEqual([])
    host.forget()
    await host.start()
    await verified(page)
    await expect(bar(page).getByRole('button', { name: en['person.back'] }), 'no earlier occupant is in the new world').toBeVisible()
    await bar(page).getByRole('button', { name: en['person.back'] }).click()
    await expect(entry(page, 'Robin')).toContainText(en['map.you'])
  })

  test('a person who views the past stays on the map and continues to walk', async ({ page, host, world }) => {
    await world.agent('Ada') // 1
    await open(page, host)
    await enter(page, 'Robin')
    const before = await cellOf(page, 'Robin')
    await page.getByRole('button', { name: en['past.show'], exact: true }).click()
    await page.getByRole('slider', { name: en['past.moment'] }).press('Home')
    await expect(status(page)).toHaveAttribute('data-time', '1')
    await expect(bar(page).getByText(en['person.past'])).toBeVisible()
    await expect(resident(page, 'Robin'), 'no person was on the map then').toBeHidden()
    for (const name of ['talk', 'wave', 'zone', 'yield'] as const) await expect(bar(page).getByRole('button', { name: en[`person.${name}`] })).toBeDisabled()
    expect(await violations(page)).toEqual([])
    const asked: string[] = []
    page.on('request', (request) => { if (request.url().includes('/person')) asked.push(request.postData() ?? '') })
    await map(page).focus()
    await map(page).press('d')
    await expect.poll(() => asked.length, { message: 'the lease is renewed', timeout: 30_000 }).toBeGreaterThan(0)
    expect(asked.map((body) => { const { x, y } = JSON.parse(body) as { x: number; y: number }; return [x, y] }), 'keys do not walk in the past').toEqual(asked.map(() => before))
    await page.getByRole('region', { name: en['past.bar'] }).getByRole('button', { name: en['past.live'] }).click()
    await verified(page)
    await expect(entry(page, 'Robin')).toContainText(en['map.you'])
    expect(await cellOf(page, 'Robin')).toEqual(before)
    await map(page).press(before[0] > 10 ? 'a' : 'd')
    await expect.poll(() => cellOf(page, 'Robin')).not.toEqual(before)
  })

  test('the wall shows walking people, without controls to walk', async ({ page, host, world, browser, pageErrors }) => {
    await world.agent('Ada')
    const other = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    pageErrors.watch(other, host)
    await other.goto(`${host.url}/play/watch?view=wall`)
    await expect(other.locator('.truth')).toContainText(en['status.verified'])
    const picture = (): Promise<string> => map(other).evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
    let empty = ''
    await expect.poll(async () => { const now = await picture(); const same = now === empty; empty = now; return same }).toBe(true)
    await open(page, host)
    await enter(page, 'Robin')
    await expect.poll(picture).not.toBe(empty)
    await expect(other.getByRole('button')).toHaveCount(0)
    expect(await violations(other)).toEqual([])
    // Changing the page to the wall view removes the person's figure.
    await page.goto(`${host.url}/play/watch?view=wall`)
    await expect.poll(async () => (await world.people()).length).toBe(0)
    await other.context().close()
  })
})

test.describe('on a host that requires a token', () => {
  test.use({ hostFlags: ['--watch-access', 'token'] })

  test('revocation of a token ends the walk of its holder', async ({ page, host, world, pageErrors }) => {
    pageErrors.expect(/status of 40[13]/)
    await world.agent('Ada')
    await page.goto(`${host.url}/play/watch#token=${await world.watchToken()}`)
    await verified(page)
    await enter(page, 'Robin')
    await page.keyboard.down('d')
    await world.revokeWatchTokens()
    await expect(page.getByRole('heading', { name: en['refused.expiredTitle'] })).toBeVisible()
    await page.keyboard.up('d')
    await expect(bar(page)).toBeHidden()
    await expect(page.getByText('Robin')).toHaveCount(0)
    expect(await violations(page)).toEqual([])
  })
})
