/** `<playctl-town>` in a page of another origin. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Locator, Page } from '@playwright/test'
import { de } from '../../src/text/de.js'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test as base } from './fixtures/test.js'

/** The page of another origin on this machine: the same name, another port. */
interface Site {
  readonly origin: string
  /** The content of its page. */
  show: string
}

/** The content security policy of a careful site. */
const policy = (host: string): string => `default-src 'none'; script-src ${host}; connect-src ${host}`

const test = base.extend<{ site: Site, listed: boolean, free: boolean }>({
  listed: [true, { option: true }],
  free: [true, { option: true }],
  // eslint-disable-next-line no-empty-pattern
  site: async ({}, use) => {
    const site = { origin: '', show: '' }
    const server = createServer((_, reply) => {
      const host = /src="(http:[^"]*?)\/play/u.exec(site.show)?.[1] ?? "'none'"
      reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy(host) })
        .end(`<!doctype html><html lang="en"><title>Site</title><main><h1>Our town</h1>${site.show}</main>`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site.origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    await use(site)
    server.closeAllConnections()
    server.close()
  },
  hostFlags: async ({ site, listed, free }, use) => {
    await use([...(listed ? ['--watch-embed', site.origin] : []), ...(free ? [] : ['--watch-access', 'token'])])
  },
})

const element = (host: string, attributes = ''): string =>
  `<script type="module" src="${host}/play/watch/town.js"></script><playctl-town ${attributes}></playctl-town>`

const town = (page: Page): Locator => page.locator('playctl-town')
const live = `${en['status.live']} · ${en['status.verified']}`

test('its script is smaller than 64 kB compressed', () => {
  const script = readFileSync(new URL('../../dist/town.js', import.meta.url))
  expect(gzipSync(script, { level: 9 }).length).toBeLessThan(64_000)
})

test('it shows the current map with speech, live and proved, and requests nothing else', { tag: '@usual' }, async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1/)
  const ada = await world.agent('Ada')
  const asked: { url: string, headers: Record<string, string> }[] = []
  page.on('request', (request) => { asked.push({ url: request.url(), headers: request.headers() }) })
  site.show = element(host.url)
  await page.goto(site.origin)
  await expect(town(page).getByText(live, { exact: true })).toBeVisible()
  await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, /])
  const first = await town(page).getByRole('listitem').elementHandle()
  await world.agent('Grace')
  await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, /, /^Grace, /])
  expect(await first.evaluate((item) => item.isConnected && item.previousSibling === null), 'the list keeps its scroll position').toBe(true)
  await world.activity(ada, 'waiting', { text: 'May I?' })
  await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, Agent, waiting: May I\?, at /, /^Grace, Agent, at /])
  const before = await town(page).getByRole('application').screenshot()
  await world.say(ada, 'The river is high.')
  await expect.poll(async () => (await town(page).getByRole('application').screenshot()).equals(before)).toBe(false)
  expect(await violations(page)).toEqual([])
  expect(await page.context().cookies(), 'no cookie was given').toEqual([])
  const calls = asked.filter(({ url }) => url.includes('/api/'))
  expect(calls.length).toBeGreaterThan(1)
  for (const { url, headers } of calls) {
    const pass = headers['x-watch-pass'] ?? ''
    expect(pass, url).not.toBe('')
    expect(headers.cookie, url).toBeUndefined()
    expect(asked.some((one) => one.url.includes(pass)), 'the pass is not in any address').toBe(false)
  }
})

test('eight of them in a page share a stream', async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1/)
  const ada = await world.agent('Ada')
  let open = 0
  page.on('request', (request) => { if (request.url().includes('/events?')) open += 1 })
  page.on('requestfailed', (request) => { if (request.url().includes('/events?')) open -= 1 })
  site.show = `${element(host.url)}${'<playctl-town></playctl-town>'.repeat(7)}`
  await page.goto(site.origin)
  await expect(town(page).getByText(live, { exact: true })).toHaveCount(8)
  expect(open).toBe(1)
  await town(page).first().evaluate((node) => { node.remove() })
  await world.agent('Grace')
  await expect(town(page).getByRole('listitem').filter({ hasText: 'Grace' })).toHaveCount(7)
  await expect(town(page).getByText(live, { exact: true })).toHaveCount(7)
  expect(open).toBe(1)
  await world.leave(ada)
  await expect(town(page).getByRole('listitem')).toHaveText(Array.from({ length: 7 }, () => /^Grace, /))
})

test('a key selects an occupant, a wheel scrolls the page, and it is removed completely', async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1/)
  const ada = await world.agent('Ada')
  site.show = `${element(host.url)}<p>${'<br>'.repeat(200)}</p>`
  await page.goto(site.origin)
  await expect(town(page).getByText(live, { exact: true })).toBeVisible()
  await page.mouse.move(300, 300)
  await page.mouse.wheel(0, 200)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)
  await page.evaluate(() => { addEventListener('playctl-select', (event) => { document.title = JSON.stringify((event as CustomEvent).detail) }) })
  await town(page).getByRole('application').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.title()).toContain(ada)
  await town(page).evaluate((node) => { node.remove() })
  await expect(page.getByRole('application')).toHaveCount(0)
})

test('it has the language, the colors and the name of its attributes', async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1/)
  await world.agent('Ada')
  site.show = element(host.url, `host="${host.url}" lang="de" theme="dark"`)
  await page.goto(site.origin)
  await expect(town(page).getByText(`${de['status.live']} · ${de['status.verified']}`, { exact: true })).toBeVisible()
  await expect(town(page).getByRole('region', { name: de['page.title'] })).toHaveAttribute('data-theme', 'dark')
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await town(page).evaluate((node) => { node.style.height = '300px'; return [node.clientWidth - (node.parentElement?.clientWidth ?? 0), node.clientHeight] })).toEqual([0, 300])
  await town(page).evaluate((node) => { node.setAttribute('lang', 'en') })
  await expect(town(page).getByText(live, { exact: true })).toBeVisible()
  await town(page).evaluate((node) => { node.setAttribute('name', 'Harbor') })
  await expect(town(page).getByRole('region', { name: 'Harbor' })).toHaveAttribute('data-theme', 'dark')
})

/** Records each state of the element, from the first on. */
const recordStates = (page: Page): Promise<unknown> => page.addInitScript(() => {
  const states: string[] = []
  Object.assign(globalThis, { states })
  addEventListener('playctl-state', (event) => {
    const { detail } = event as CustomEvent<{ state: string, verification: string, message?: string }>
    states.push(`${detail.state} ${detail.verification}${detail.message === undefined ? '' : ', with a reason'}`)
    Object.assign(globalThis, { reason: detail.message })
  })
})
/** Returns the element's last error. */
const reason = (page: Page): Promise<string | undefined> => page.evaluate(() => (globalThis as unknown as { reason?: string }).reason)
const states = (page: Page): Promise<string[]> => page.evaluate(() => (globalThis as unknown as { states: string[] }).states)
/** Returns the filter of the map, which reduces its color. */
const color = (page: Page): Promise<string> => town(page).locator('.map').evaluate((map) => getComputedStyle(map).filter)

test('it reports an unreachable host, and is live and proved again after a restart', async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1|ERR_|Failed to load resource|CORS/)
  await world.agent('Ada')
  await recordStates(page)
  site.show = element(host.url)
  await page.goto(site.origin)
  await expect(town(page).getByText(live, { exact: true })).toBeVisible()
  expect(await color(page)).toBe('none')
  await host.kill()
  await expect(town(page).getByText(en['status.reconnecting'], { exact: true })).toBeVisible()
  expect(await color(page)).toBe('saturate(0.25)')
  await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, /])
  expect(await violations(page)).toEqual([])
  expect((await states(page)).at(-1)).toBe('reconnecting verified, with a reason')
  await host.start()
  await expect(town(page).getByText(live, { exact: true })).toBeVisible()
  expect(await color(page)).toBe('none')
  await world.agent('Grace')
  await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, /, /^Grace, /])
  expect((await states(page)).at(-1)).toBe('live verified')
})

test.describe('where watching requires a token', () => {
  test.use({ free: false })

  test('it reports an expired pass, and continues with the next one', async ({ page, host, site, world, pageErrors }) => {
    pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1|status of 401/)
    await world.agent('Ada')
    const pass = async (): Promise<string> => {
      const reply = await fetch(`${host.url}/play/watch/session`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token: await world.watchToken(), framed: true }),
      })
      return (await reply.json() as { pass: string }).pass
    }
    await recordStates(page)
    site.show = element(host.url, `token="${await pass()}"`)
    await page.goto(site.origin)
    await expect(town(page).getByText(live, { exact: true })).toBeVisible()
    await world.revokeWatchTokens()
    await expect(town(page).getByText(en['refused.frameExpiredWhy'], { exact: true })).toBeVisible()
    expect(await color(page)).toBe('saturate(0.25)')
    await expect(town(page).getByRole('listitem')).toHaveText([/^Ada, /])
    expect(await violations(page)).toEqual([])
    expect((await states(page)).at(-1)).toBe('ended verified, with a reason')
    expect(await reason(page)).toContain('the pass in the attribute token of <playctl-town> is wrong or has expired')
    const next = await pass()
    await town(page).evaluate((node, value) => { node.setAttribute('token', value) }, next)
    await expect(town(page).getByText(live, { exact: true })).toBeVisible()
    expect(await color(page)).toBe('none')
    expect((await states(page)).at(-1)).toBe('live verified')
  })

  test('it shows the town with a pass, and reports a missing or invalid one', async ({ page, host, site, world, pageErrors }) => {
    pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1|status of 401/)
    await world.agent('Ada')
    const token = await world.watchToken()
    const reply = await fetch(`${host.url}/play/watch/session`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token, framed: true }),
    })
    const { pass } = await reply.json() as { pass: string }
    await recordStates(page)
    site.show = element(host.url)
    await page.goto(site.origin)
    await expect(town(page).getByText(en['refused.frameWhy'])).toBeVisible()
    expect(await reason(page)).toContain('the attribute token of <playctl-town> takes a pass to watch')
    expect(await violations(page)).toEqual([])
    for (const bad of ['wrong', 'two\nlines', token]) {
      await town(page).evaluate((node, value) => { node.setAttribute('token', value) }, pass)
      await expect(town(page).getByText(live, { exact: true })).toBeVisible()
      await town(page).evaluate((node, value) => { node.setAttribute('token', value) }, bad)
      await expect(town(page).getByText(en['refused.frameWhy'])).toBeVisible()
      expect(await reason(page), bad).toContain('the attribute token of <playctl-town>')
    }
  })
})

test.describe('with an origin that is not listed', () => {
  test.use({ listed: false })

  test('the browser loads no script', async ({ page, host, site, pageErrors }) => {
    pageErrors.expect(/left the host, to http:\/\/127\.0\.0\.1|CORS|ERR_FAILED/)
    site.show = element(host.url)
    const refused = page.waitForEvent('console', (message) => message.text().includes('CORS'))
    await page.goto(site.origin)
    await refused
    await expect(page.getByRole('application')).toHaveCount(0)
  })
})
