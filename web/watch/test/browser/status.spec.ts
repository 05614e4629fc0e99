/** What the page states is true: about the connection, the copy, the past and its counts. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, part, resident, residents, show, status, verified } from './fixtures/town.js'

const live = (page: Page): Locator => status(page).getByText(en['status.live'], { exact: true })
const proven = (page: Page): Locator => status(page).getByText(en['status.verified'], { exact: true })
const eventAt = (page: Page, seq: number): Locator => feed(page).locator(`[data-seq="${seq}"]`)

test.use({ repository: false })

test('a dead network is reported within 1.3 heartbeats, and nothing is verified while it lasts', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(/Failed to load resource|ERR_/)
  await page.clock.install()
  await world.agent('Ada')
  await open(page, host)
  host.freeze()
  await page.clock.fastForward(20_000)
  await expect(live(page)).toBeHidden()
  await expect(proven(page), 'an earlier verification is not shown').toBeHidden()
  await expect(status(page)).toContainText(/Verified at \d\d:\d\d:\d\d/)
  const verifiedThen = await status(page).getByText(/Verified at/).innerText()
  await page.clock.fastForward(60_000)
  await expect(status(page).getByText(/Verified at/), 'later attempts verified nothing').toHaveText(verifiedThen)
  await expect(page.locator('.town'), 'the town loses its color').toHaveCSS('filter', 'saturate(0.25)')
  expect(await violations(page)).toEqual([])
  host.thaw()
  await page.clock.fastForward(10_000)
  await verified(page)
  await expect(page.locator('.town')).toHaveCSS('filter', 'none')
})

test('a browser that goes offline reports it immediately', async ({ page, context, host, world, pageErrors }) => {
  pageErrors.expect(/ERR_INTERNET_DISCONNECTED|Failed to load resource/)
  await world.agent('Ada')
  await open(page, host)
  await context.setOffline(true)
  await expect(live(page)).toBeHidden({ timeout: 2000 })
  await expect(proven(page)).toBeHidden()
  await context.setOffline(false)
  await verified(page)
})

test('the result of an answer is shown beside its text', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')
  const asked = page.waitForResponse((reply) => reply.request().postData()?.includes('intercomCommand') === true)
  await about.getByRole('textbox').fill('A table for four')
  await about.getByRole('textbox').press('Enter')
  const { payload } = (await asked).request().postDataJSON() as { payload: { requestId: string; mainNodeId: string } }
  const answer = (status: string, message: string, result?: object): Promise<unknown> => world.call('POST', '/sdk/rpc', {
    op: 'intercomResponse',
    payload: { ...payload, toPlayerId: '__human__', fromPlayerId: ada, kind: 'chat', status, message, ...(result && { result }), ts: new Date().toISOString() },
  })
  const said = about.getByRole('article')
  await answer('stream', 'Calling the restaurant…')
  await answer('stream', 'They are looking for a table…')
  await expect(said.getByText('Calling the restaurant…\nThey are looking for a table…')).toBeVisible()
  await answer('completed', 'Booked for 4.', { table: 7, code: 'HX-22' })
  await expect(said).toContainText('Booked for 4.')
  const result = said.getByRole('group', { name: en['chat.result'] })
  await expect(result).toContainText('table7')
  await expect(result).toContainText('codeHX-22')
  expect(await violations(page)).toEqual([])
})

test('events before the page was opened are shown with the names of that time', async ({ page, host, world }) => {
  await world.agent('Ada')
  const grace = await world.agent('Grace')
  await world.say(grace, 'I am leaving soon')
  await world.leave(grace)
  await open(page, host)
  await show(page, 'happenings')
  await expect(feed(page).getByRole('article')).toHaveText([/Grace left/, /Grace said.*I am leaving soon/s, /Grace came/, /Ada came/])
})

test('a departure is named even if the arrival is not loaded', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  for (let line = 1; line <= 205; line++) await world.say(ada, `line ${line}`)
  await world.say(grace, 'I am leaving soon')
  await world.leave(grace)
  await open(page, host)
  await show(page, 'happenings')
  const lines = feed(page).getByRole('article')
  await expect(lines.nth(0)).toContainText('Grace left')
  await expect(lines.nth(1)).toContainText('Grace said')
})

test('events since a reset are shown, without a button for earlier ones', async ({ page, host, world }) => {
  await world.agent('Somebody else')
  await world.reset()
  const ada = await world.agent('Ada')
  await world.say(ada, 'A new beginning')
  await open(page, host)
  await show(page, 'happenings')
  await expect(feed(page).getByRole('article')).toHaveText([/A new beginning/, /Ada came/])
  await expect(page.getByRole('button', { name: en['feed.earlier'] })).toHaveCount(0)
  await world.say(ada, 'and on')
  await expect(feed(page).getByRole('article')).toHaveText([/and on/, /A new beginning/, /Ada came/])
})

test('the past is loaded to its beginning, with the names of that time', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  // More than the page reads when it is opened and once more.
  for (let line = 1; line <= 410; line++) await world.say(ada, `line ${line}`)
  await world.register(ada, 'Ada the second')
  await open(page, host)
  await show(page, 'happenings')
  const earlier = page.getByRole('button', { name: en['feed.earlier'] })
  await expect(feed(page).getByRole('article').first()).toContainText('Ada the second changed')
  // Earlier events appear below the shown ones, and after the button is removed: scrolling continues.
  await expect(async () => {
    await feed(page).evaluate((list) => { list.scrollTop = list.scrollHeight })
    await expect(earlier, 'everything is loaded').toBeHidden({ timeout: 1000 })
    await expect(eventAt(page, 1)).toContainText('Ada came', { timeout: 1000 })
  }).toPass({ timeout: 30_000 })
  await expect(eventAt(page, 2)).toContainText('Ada said')
  await feed(page).evaluate((list) => { list.scrollTop = 0 })
  await expect(eventAt(page, 411), 'it has the name of that time').toContainText('Ada said')
})

test('the last activity of an agent is its last action, not a question to it', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.agent('Grace')
  await world.say(ada, 'Good morning')
  const bob = await world.agent('Bob')
  for (let line = 1; line <= 210; line++) await world.say(bob, `line ${line}`)
  await open(page, host)
  const lastActive = (name: string): Locator => panel(page, name).locator('dt', { hasText: en['panel.lastSeen'] }).locator('xpath=following-sibling::dd')
  await resident(page, 'Ada').click()
  await part(page, 'story')
  await expect(panel(page, 'Ada').getByRole('listitem').getByText('Good morning')).toBeVisible()
  await part(page, 'facts')
  await expect(lastActive('Ada')).toHaveText(/just now|ago/)
  await resident(page, 'Grace').click()
  await part(page, 'talk')
  await panel(page, 'Grace').getByRole('textbox').fill('Are you there?')
  await panel(page, 'Grace').getByRole('textbox').press('Enter')
  await expect(panel(page, 'Grace').getByRole('article')).toHaveAttribute('data-status', 'forwarded')
  await part(page, 'facts')
  await expect(lastActive('Grace')).toHaveText(en['panel.never'])
})

test.describe('on a host with accounts', () => {
  test.use({ repository: true })

  test('agents, placements and structures are counted separately', async ({ page, host, world }) => {
    await world.agent('Ada')
    await world.mcp('weather')
    await world.space('The garden')
    await open(page, host)
    await expect(page.getByText('1 agent · 1 MCP placement · 1 structure', { exact: true })).toBeVisible()
    await expect(page).toHaveTitle('The town, 1 agent')
    await show(page, 'places')
    const signs = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'The garden', exact: true }) }).locator('.badge')
    await expect(signs).toHaveCount(2)
    const [structure, space] = await signs.evaluateAll((all) => all.map((sign) => sign.innerHTML))
    expect(space, 'a space has another sign than its structure').not.toBe(structure)
  })
})

test('each platform has its mark, the same for all its agents', async ({ page, host, world }) => {
  for (const [name, type] of Object.entries({ Ada: 'langchain', Bo: 'langchain', Cy: 'openai-agents', Di: 'pydantic-ai' })) await world.agent(name, { type })
  await open(page, host)
  const marks = async (): Promise<string[]> => Promise.all(['Ada', 'Bo', 'Cy', 'Di'].map(async (name) => residents(page).getByRole('listitem').filter({ has: page.getByRole('button', { name, exact: true }) }).locator('.platform').evaluate((mark) => `${mark.textContent} ${getComputedStyle(mark).backgroundColor}`)))
  const [ada, bo, cy, di] = await marks()
  expect(ada).toMatch(/^LC rgb/)
  expect(bo).toBe(ada)
  expect(cy).toMatch(/^OA rgb/)
  expect(di).toMatch(/^PA rgb/)
  expect(cy?.slice(3)).not.toBe(ada?.slice(3))
  await resident(page, 'Ada').click()
  expect(await violations(page)).toEqual([])
})

test('an answer in Markdown is shown as inert elements', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')
  const asked = page.waitForResponse((reply) => reply.request().postData()?.includes('intercomCommand') === true)
  await about.getByRole('textbox').fill('What is there?')
  await about.getByRole('textbox').press('Enter')
  const { payload } = (await asked).request().postDataJSON() as { payload: object }
  const elsewhere: string[] = []
  page.on('request', (request) => { if (!request.url().startsWith(host.url)) elsewhere.push(request.url()) })
  const message = [
    '**Bold** and <img src=x onerror="globalThis.intruder=1"> <script>globalThis.intruder=1</script>', '[a trap](javascript:globalThis.intruder=1) [another](data:text/html,x) [a page](https://example.com/a)',
    '![a picture](https://example.com/spy.png)', '<a href="javascript:globalThis.intruder=1">a tag</a>', '<javascript:globalThis.intruder=1>', '- one\n- two',
  ].join('\n\n')
  await world.call('POST', '/sdk/rpc', {
    op: 'intercomResponse', payload: { ...payload, toPlayerId: '__human__', fromPlayerId: ada, kind: 'chat', status: 'completed', message, ts: new Date().toISOString() },
  })
  const said = about.getByRole('article').locator('.markdown')
  await expect(said.locator('strong')).toHaveText('Bold')
  await expect(said.getByRole('listitem')).toHaveText(['one', 'two'])
  await expect(said).toContainText('<script>globalThis.intruder=1</script>')
  await expect(said.locator('img, script, iframe')).toHaveCount(0)
  expect(await said.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(['https://example.com/a', 'https://example.com/spy.png'])
  for (const trap of ['a trap', 'another']) await said.getByText(trap, { exact: true }).click()
  expect(await page.evaluate(() => 'intruder' in globalThis)).toBe(false)
  expect(elsewhere, 'nothing is loaded from other origins').toEqual([])
  expect(await violations(page)).toEqual([])
})
