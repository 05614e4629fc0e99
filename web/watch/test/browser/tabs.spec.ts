/** Many tabs of one browser share one stream: over HTTP/1.1 a browser has six connections to a host. */

import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import type { Host } from './fixtures/host.js'
import { expect, test } from './fixtures/test.js'
import { feed, resident, show, status, verified } from './fixtures/town.js'

/** Returns the number of streams that the host serves. */
async function streams(host: Host): Promise<number> {
  const text = await (await fetch(`${host.url}/metrics`, { headers: { authorization: 'Bearer administrator-of-the-browser-tests' } })).text()
  return Number(/^playctl_stream_subscribers (\d+)$/m.exec(text)?.[1] ?? NaN)
}

/** Opens tabs one after the other, each with the list of events. */
async function openTabs(context: BrowserContext, url: string, count: number): Promise<Page[]> {
  const tabs: Page[] = []
  for (let tab = 0; tab < count; tab += 1) {
    const page = await context.newPage()
    tabs.push(page)
    await page.goto(url)
    await verified(page)
    await show(page, 'happenings')
  }
  return tabs
}

/** Expects each of these lines once, in the order in which they were said: the list has the newest first. */
async function hasLines(tab: Page, lines: readonly string[]): Promise<void> {
  await expect.poll(async () => (await feed(tab).getByText(/^line \d+$/).allTextContents()).reverse(), { intervals: [50] }).toEqual(lines)
}

/** Marks in each tab whether it is the one with the connection, by its requests. */
function connections(tabs: readonly Page[]): Map<Page, number> {
  const open = new Map<Page, number>()
  for (const tab of tabs) {
    tab.on('request', (request) => { if (request.url().includes('/events?')) open.set(tab, (open.get(tab) ?? 0) + 1) })
    const ended = (request: { url: () => string }): void => { if (request.url().includes('/events?')) open.set(tab, (open.get(tab) ?? 1) - 1) }
    tab.on('requestfailed', ended)
    tab.on('requestfinished', ended)
  }
  return open
}

/** Returns the tab that has the connection. */
const leaderOf = (open: ReadonlyMap<Page, number>): Page => {
  const [leader, ...others] = [...open].flatMap(([tab, count]) => count > 0 ? [tab] : [])
  expect(others, 'one tab has the connection').toEqual([])
  if (leader === undefined) throw new Error('no tab has the connection')
  return leader
}

/** Asks Ada in a tab, and expects the answer there. */
async function asks(tab: Page, question: string): Promise<void> {
  await show(tab, 'residents')
  await resident(tab, 'Ada').click()
  const message = tab.getByRole('textbox', { name: 'Message to Ada' })
  await message.fill(question)
  await message.press('Enter')
  await expect(tab.getByRole('article').getByText(`You said: ${question}`).last()).toBeVisible()
}

test.describe('twenty tabs', () => {
  test.use({ repository: false })

  test('are all live, have one stream, and lose nothing when the tab with the stream closes', { tag: '@usual' }, async ({ context, host, world }) => {
    const ada = await world.agent('Ada')
    const tabs: Page[] = []
    for (let tab = 0; tab < 20; tab += 1) tabs.push(await context.newPage())
    const open = connections(tabs)
    await Promise.all(tabs.map(async (tab) => {
      await tab.goto(`${host.url}/play/watch?tab=happenings`)
      await verified(tab)
    }))
    await expect.poll(() => streams(host)).toBe(1)
    const lines = ['line 1', 'line 2']
    for (const line of lines) await world.say(ada, line)
    for (const tab of tabs) await hasLines(tab, lines)
    for (let turn = 3; turn < 6; turn += 1) {
      const leader = leaderOf(open)
      tabs.splice(tabs.indexOf(leader), 1)
      await leader.close()
      open.delete(leader)
      lines.push(`line ${turn}`)
      await world.say(ada, `line ${turn}`)
      for (const tab of tabs) await hasLines(tab, lines)
    }
    for (const tab of tabs) await verified(tab)
    await expect.poll(() => streams(host)).toBe(1)
  })
})

test.describe('eight tabs', () => {
  test.use({ repository: false })

  for (const [name, end] of Object.entries({
    'crashes': (devtools: CDPSession) => { void devtools.send('Page.crash').catch(() => undefined) },
    'is frozen': async (devtools: CDPSession) => { await devtools.send('Page.setWebLifecycleState', { state: 'frozen' }) },
  })) {
    test(`lose and repeat nothing when the tab with the stream ${name}`, async ({ context, host, world }) => {
      const ada = await world.agent('Ada')
      const tabs: Page[] = []
      for (let tab = 0; tab < 8; tab += 1) tabs.push(await context.newPage())
      const open = connections(tabs)
      for (const tab of tabs) {
        await tab.goto(`${host.url}/play/watch?tab=happenings`)
        await verified(tab)
      }
      const lines = ['line 1']
      await world.say(ada, 'line 1')
      for (const tab of tabs) await hasLines(tab, lines)
      const leader = leaderOf(open)
      const rest = tabs.filter((tab) => tab !== leader)
      const devtools = await context.newCDPSession(leader)
      const requested = new Promise<number>((resolve) => {
        for (const tab of rest) tab.on('request', (request) => { if (request.url().includes('/events?')) resolve(Date.now()) })
      })
      await end(devtools)
      const at = Date.now()
      lines.push('line 2')
      await world.say(ada, 'line 2')
      // On a busy machine a line is drawn later than it arrives.
      const shown = hasLines(rest[0] ?? leader, lines).then(() => Date.now())
      expect(await Promise.race([requested, shown]) - at, 'milliseconds until the next tab has the stream').toBeLessThan(2000)
      await shown
      for (const tab of rest) await hasLines(tab, lines)
      for (const tab of rest) await verified(tab)
      if (name === 'is frozen') {
        await devtools.send('Page.setWebLifecycleState', { state: 'active' })
        await hasLines(leader, lines)
        await verified(leader)
      }
      lines.push('line 3')
      await world.say(ada, 'line 3')
      for (const tab of name === 'is frozen' ? tabs : rest) await hasLines(tab, lines)
      await expect.poll(() => streams(host)).toBe(1)
    })
  }

  test('follow a restart of the host and a reset of the world', async ({ context, host, world }) => {
    const ada = await world.agent('Ada')
    const tabs = await openTabs(context, `${host.url}/play/watch?tab=happenings`, 8)
    await world.say(ada, 'line 1')
    await host.kill()
    for (const tab of tabs) await expect(status(tab).getByText(en['status.live'], { exact: true })).toBeHidden()
    await host.start()
    await world.say(ada, 'line 2')
    for (const tab of tabs) await hasLines(tab, ['line 1', 'line 2'])
    for (const tab of tabs) await verified(tab)
    await expect.poll(() => streams(host)).toBe(1)
    await world.reset()
    await world.register(ada, 'Ada')
    await world.say(ada, 'line 3')
    for (const tab of tabs) await hasLines(tab, ['line 1', 'line 2', 'line 3'])
    for (const tab of tabs) await verified(tab)
    await expect.poll(() => streams(host)).toBe(1)
  })

  test('have a stream for each browser profile', async ({ context, browser, host, world }) => {
    await world.agent('Ada')
    await openTabs(context, `${host.url}/play/watch?tab=happenings`, 8)
    const other = await browser.newContext()
    await openTabs(other, `${host.url}/play/watch?tab=happenings`, 8)
    await expect.poll(() => streams(host)).toBe(2)
    await other.close()
    await expect.poll(() => streams(host)).toBe(1)
  })

  test('are not ended by one that shows the past or a tab that was left and restored', async ({ context, host, world }) => {
    const ada = await world.agent('Ada')
    const tabs = await openTabs(context, `${host.url}/play/watch?tab=happenings`, 8)
    const [first, second] = tabs
    if (first === undefined || second === undefined) throw new Error('there are too few tabs')
    await first.getByRole('button', { name: en['past.show'] }).click()
    await expect(first.getByRole('region', { name: en['past.bar'] })).toBeVisible()
    await second.goto('about:blank')
    await world.say(ada, 'line 1')
    await second.goBack()
    for (const tab of tabs) await hasLines(tab, ['line 1'])
    for (const tab of tabs.slice(1)) await verified(tab)
    await expect.poll(() => streams(host)).toBe(1)
  })
})

test.describe('over plain HTTP beyond loopback', () => {
  test.use({ hostFlags: ['--watch-name', 'town.playctl.test', '--allow-host', 'town.playctl.test'], repository: false })

  test('eight tabs are live and share a stream', { tag: '@usual' }, async ({ context, host, world }) => {
    const ada = await world.agent('Ada')
    const tabs = await openTabs(context, `http://town.playctl.test:${host.port}/play/watch`, 8)
    expect(await tabs[0]?.evaluate(() => isSecureContext)).toBe(false)
    await world.say(ada, 'line 1')
    for (const tab of tabs) await hasLines(tab, ['line 1'])
    await expect.poll(() => streams(host)).toBe(1)
    await tabs[0]?.close()
    await world.say(ada, 'line 2')
    for (const tab of tabs.slice(1)) await hasLines(tab, ['line 1', 'line 2'])
  })
})

test.describe('with agents that answer', () => {
  test('each tab can ask, and gets the answer', async ({ context, host, serve }) => {
    await serve('Ada')
    const tabs = await openTabs(context, `${host.url}/play/watch`, 8)
    for (const [place, tab] of [tabs.slice(-1), tabs.slice(0, 1)].flat().entries()) {
      await asks(tab, `question ${place}`)
    }
    await expect.poll(() => streams(host)).toBe(2)
  })
})

test.describe('on a host that requires a token', () => {
  test.use({ hostFlags: ['--watch-access', 'token'] })

  test('tabs of one link share a stream, and a tab of another link has its own', async ({ context, host, world, serve }) => {
    await serve('Ada')
    const link = `${host.url}/play/watch#token=${await world.watchToken()}`
    const tabs = await openTabs(context, link, 8)
    const before = await streams(host)
    const [other] = await openTabs(context, `${host.url}/play/watch#token=${await world.watchToken()}`, 1)
    await expect.poll(() => streams(host)).toBe(before + 1)
    for (const [place, tab] of [other, tabs[0]].entries()) {
      if (tab === undefined) throw new Error('there are too few tabs')
      await asks(tab, `question ${place}`)
    }
  })
})

test('a page whose requests wait says what to do, and counts nobody', async ({ page, host, world }) => {
  await world.agent('Ada')
  await page.clock.install()
  const held: (() => void)[] = []
  await page.route(/snapshot|sdk.rpc|events/u, async (route) => {
    await new Promise<void>((resolve) => { held.push(resolve) })
    await route.continue()
  })
  await page.goto(`${host.url}/play/watch`)
  await expect(status(page).getByText(en['status.connecting'])).toBeVisible()
  await expect(page.getByText('0 agents')).toHaveCount(0)
  await expect(page).toHaveTitle(en['page.title'])
  await page.clock.fastForward(5000)
  await expect(status(page).getByText(/if many of its tabs are open, close some/)).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const go of held) go()
  await verified(page)
  await expect(page).toHaveTitle(/1 agent/)
})
