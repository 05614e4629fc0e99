/** The page in a frame of another site. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FrameLocator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test as base } from './fixtures/test.js'

interface Site {
  readonly origin: string
  /** The content of its page. */
  show: string
}

/** A host that allows another site to embed its page. */
const test = base.extend<{ site: Site, embed: boolean, free: boolean }>({
  embed: [true, { option: true }],
  free: [true, { option: true }],
  // eslint-disable-next-line no-empty-pattern
  site: async ({}, use) => {
    const site = { origin: '', show: '' }
    const server = createServer((_, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Site</title>${site.show}`))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site.origin = `http://site.playctl.test:${String((server.address() as AddressInfo).port)}`
    await use(site)
    server.closeAllConnections()
    server.close()
  },
  hostFlags: async ({ site, embed, free }, use) => {
    await use([...(embed ? ['--watch-embed', site.origin] : []), ...(free ? [] : ['--watch-access', 'token'])])
  },
})

const frame = (page: Page): FrameLocator => page.frameLocator('iframe')

const framing = (address: string): string => `<iframe src="${address}" width="900" height="600"></iframe>`

test.describe('where watching is public', () => {
  test.use({ repository: false })

  test('a page of a listed origin shows it, live and proved, for watching only', { tag: '@usual' }, async ({ page, host, site, world, pageErrors }) => {
    pageErrors.expect(/left the host, to http:\/\/site\.playctl\.test/)
    const ada = await world.agent('Ada', { enableP2a: 'on' })
    site.show = framing(`${host.url}/play/watch`)
    await page.goto(site.origin)
    await expect(frame(page).getByText(en['status.verified'], { exact: true })).toBeVisible()
    await world.say(ada, 'The river is high.')
    await frame(page).getByRole('button', { name: 'Ada', exact: true }).click()
    await expect(frame(page).getByRole('complementary').getByText(en['assist.lookOnly']).first()).toBeVisible()
    expect(await page.context().cookies(), 'no cookie was given').toEqual([])
    await expect(frame(page).getByRole('button', { name: en['notify.title'], exact: true })).toHaveCount(0)
  })

  test.describe('and no origin is listed', () => {
    test.use({ embed: false })

    test('the browser refuses to show it', async ({ page, host, site, pageErrors }) => {
      pageErrors.expect(/left the host, to http:\/\/site\.playctl\.test|frame-ancestors|X-Frame-Options/)
      site.show = framing(`${host.url}/play/watch`)
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await page.goto(site.origin)
      await refused
      await expect(frame(page).getByRole('banner')).toHaveCount(0)
    })
  })
})

test('where watching requires a token, a pass in the address is required and sufficient', async ({ page, host, site, world, pageErrors }) => {
  pageErrors.expect(/left the host, to http:\/\/site\.playctl\.test|status of 401/)
  await world.agent('Ada')
  const token = await world.watchToken()
  const reply = await fetch(`${host.url}/play/watch/session`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token, framed: true }),
  })
  const { pass, scope } = await reply.json() as { pass: string, scope: string }
  expect(scope).toBe('watch')
  site.show = framing(`${host.url}/play/watch#pass=${pass}`)
  await page.goto(site.origin)
  await expect(frame(page).getByText(en['status.verified'], { exact: true })).toBeVisible()
  await frame(page).getByRole('button', { name: 'Ada', exact: true }).click()
  await expect(frame(page).getByRole('complementary').getByText(en['assist.lookOnly']).first()).toBeVisible()
  site.show = framing(`${host.url}/play/watch#pass=wrong`)
  await page.goto(site.origin)
  await expect(frame(page).getByRole('heading', { name: en['refused.expiredTitle'] })).toBeVisible()
  await expect(frame(page).getByText(en['refused.frameExpiredWhy'])).toBeVisible()
  await expect(frame(page).getByText('playctl watch')).toHaveCount(0)
})

test.describe('where watching is not public', () => {
  test.use({ free: false })

  test('the refusal names a page that has no pass', async ({ page, host, site, pageErrors }) => {
    pageErrors.expect(/left the host, to http:\/\/site\.playctl\.test|status of 401/)
    site.show = framing(`${host.url}/play/watch`)
    await page.goto(site.origin)
    await expect(frame(page).getByText(en['refused.frameWhy'])).toBeVisible()
  })
})
