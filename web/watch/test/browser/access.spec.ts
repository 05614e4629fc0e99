/** Access to watch and to act, by section 10 of the protocol, in a browser. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { panel, resident, verified } from './fixtures/town.js'

/** Returns the address of the page under a host name. */
const named = (name: string, port: number): string => `http://${name}:${port}/play/watch`

const refusedResource = /Failed to load resource: the server responded with a status of 40[13]/

test.describe('on a loopback listener', () => {
  test('a link is sufficient, and the cookie is inaccessible to scripts and other sites', { tag: '@usual' }, async ({ page, context, host, world }) => {
    await world.agent('Ada')
    await page.goto(`${host.url}/play/watch`)
    await verified(page)
    const cookies = await context.cookies()
    expect(cookies).toHaveLength(1)
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict', domain: '127.0.0.1' })
    expect(await page.evaluate(() => document.cookie)).toBe('')
    const stored = await page.evaluate(() => [...Object.entries(localStorage), ...Object.entries(sessionStorage)] as [string, string][])
    expect(stored.map(([name, value]) => [name, value.split(' ')[0]]), 'only that it is a free cookie').toEqual([['playctl-cookie /play', 'free']])
    expect(stored.flat().join(), 'nothing grants access').not.toContain(cookies[0]?.value)
  })

  test('an expired link is ignored, and none is needed', async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(`${host.url}/play/watch#token=pt_of_last_week`)
    await verified(page)
    expect(page.url()).toBe(`${host.url}/play/watch`)
  })

  test('an unknown host name that resolves to this machine is refused', async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(named('stranger.playctl.test', host.port))
    await expect(page.getByRole('heading', { name: en['refused.hostTitle'] })).toBeVisible()
    await expect(page.getByText('Ada')).toHaveCount(0)
  })

  test.describe('with a configured host name', () => {
    test.use({ hostFlags: ['--watch-name', 'box.playctl.test'] })

    test('that name is accepted like localhost', async ({ page, host, world }) => {
      await world.agent('Ada')
      await page.goto(named('box.playctl.test', host.port))
      await verified(page)
    })
  })
})

test.describe('without a repository', () => {
  test.use({ repository: false })

  test('a page whose host name resolves to this machine cannot read or change the world', async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    expect((await page.goto(named('rebound.playctl.test', host.port)))?.status()).toBe(403)
    const { sid } = (await (await fetch(`${host.url}/api/play/session`)).json()) as { sid: string }
    // A foreign page could do this once its name resolves to this host: for the browser it is the same origin.
    const answers = await page.evaluate(async (session) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
      const asked = [fetch('/api/play/session'), fetch(`/play/watch/token?sid=${session}`, { method: 'POST' }), fetch(`/api/play/players?sid=${session}`, post)]
      return Promise.all(asked.map(async (answer) => [(await answer).status, ((await (await answer).json()) as { code: string }).code]))
    }, sid)
    expect(answers).toEqual([[403, 'host_unknown'], [403, 'host_unknown'], [403, 'host_unknown']])
  })

  test('a page of another origin is refused', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    // A document without a policy, like a foreign one, and without an icon.
    pageErrors.expect(/status of 404 .*favicon/)
    await page.goto(`http://localhost:${host.port}/healthz`)
    const { sid } = (await (await fetch(`${host.url}/api/play/session`)).json()) as { sid: string }
    // 127.0.0.1 is another origin than localhost. Without a body and headers, a browser sends no preflight request.
    const [answer] = await Promise.all([
      page.waitForResponse((reply) => reply.url().includes('/play/watch/token')),
      page.evaluate((url) => fetch(url, { method: 'POST', mode: 'no-cors' }).then(() => null), `${host.url}/play/watch/token?sid=${sid}`),
    ])
    expect(answer.status()).toBe(403)
  })

  test.describe('with a host name that the operator allows', () => {
    test.use({ hostFlags: ['--allow-host', 'box.playctl.test', '--watch-name', 'box.playctl.test'] })

    test('that name is accepted like an address', async ({ page, host, world }) => {
      await world.agent('Ada')
      await page.goto(named('box.playctl.test', host.port))
      await verified(page)
    })
  })
})

test.describe('on a host that requires a token', () => {
  test.use({ hostFlags: ['--watch-access', 'token'] })

  test('a visitor without a token sees what to do, and nothing of the world', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(`${host.url}/play/watch`)
    await expect(page.getByRole('heading', { name: en['refused.title'] })).toBeVisible()
    await expect(page.getByText('Ada')).toHaveCount(0)
    expect(await violations(page)).toEqual([])
  })

  test('an invalid token is refused', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(`${host.url}/play/watch#token=pt_none`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Ada')).toHaveCount(0)
    expect(page.url()).toBe(`${host.url}/play/watch`)
  })

  test('a link with a token opens the page, and the token is removed from the address', { tag: '@usual' }, async ({ page, host, world }) => {
    await world.agent('Ada')
    const token = await world.watchToken()
    await page.goto(`${host.url}/play/watch#token=${token}`)
    await verified(page)
    expect(page.url()).toBe(`${host.url}/play/watch`)
    expect(await page.evaluate(() => history.length)).toBe(2)
    expect(await page.content()).not.toContain(token)
    // A second load has the cookie and needs no token.
    await page.reload()
    await verified(page)
  })

  test('a link opens the page in a tab where another one was refused', async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(`${host.url}/play/watch#token=pt_none`)
    await expect(page.getByRole('heading', { name: en['refused.expiredTitle'] })).toBeVisible()
    await page.goto(`${host.url}/play/watch#token=${await world.watchToken()}`)
    await verified(page)
    expect(page.url()).toBe(`${host.url}/play/watch`)
  })
})

test.describe('beyond loopback', () => {
  test.use({ hostFlags: ['--listen', '0.0.0.0:0'] })

  test('a token is required', async ({ page, host, world, pageErrors }) => {
    await world.agent('Ada')
    pageErrors.expect(refusedResource)
    await page.goto(named('town.playctl.test', host.port))
    await expect(page.getByRole('heading', { name: en['refused.title'] })).toBeVisible()
  })

  test.describe('with public watching', () => {
    test.use({ hostFlags: ['--listen', '0.0.0.0:0', '--watch-access', 'public'] })

    test('anyone may watch, and acting requires a token, also without TLS', { tag: '@usual' }, async ({ page, host, world }) => {
      const tool = { name: 'assist_route', description: 'Shows the way', parameters: { type: 'object' } }
      await world.agent('Ada', { assistTools: [tool] })
      await page.goto(named('town.playctl.test', host.port))
      await verified(page)
      await resident(page, 'Ada').click()
      const about = panel(page, 'Ada')
      await expect(about.getByText(en['assist.lookOnly'])).toBeVisible()
      await expect(about.getByRole('button', { name: 'Route' })).toBeDisabled()

      await page.goto('about:blank')
      await page.goto(`${named('town.playctl.test', host.port)}#token=${await world.watchToken()}`)
      await verified(page)
      await resident(page, 'Ada').click()
      await about.getByRole('button', { name: 'Route' }).click()
      await about.getByRole('form', { name: 'Route' }).getByRole('button', { name: en['assist.send'] }).click()
      await expect(about.getByRole('article').getByText(en['chat.forwarded'])).toBeVisible()
      // Under a host name and without TLS, a page is no secure context and lacks features limited to those.
      expect(await page.evaluate(() => isSecureContext)).toBe(false)
    })
  })
})

test('the page can run only its own scripts', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  await world.agent('Ada')
  pageErrors.expect(/Content Security Policy/i)
  pageErrors.expect(/to http:\/\/127\.0\.0\.1:1\//)
  const response = await page.goto(`${host.url}/play/watch`)
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'")
  await verified(page)
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'globalThis.intruder = true'
    document.body.append(script)
  })
  expect(await page.evaluate(() => 'intruder' in globalThis)).toBe(false)
  const left = await page.evaluate(() => fetch('http://127.0.0.1:1/').then(() => 'sent', () => 'refused'))
  expect(left).toBe('refused')
  const html = (await response?.text()) ?? ''
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/)
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/)
})
