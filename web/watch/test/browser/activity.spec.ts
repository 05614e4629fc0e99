/** What agents do now: in the list, on the map, in the events, and in the past. */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { map } from './fixtures/map.js'
import { start } from './fixtures/program.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, part, reached, resident, residents, show } from './fixtures/town.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

/** The counts of agents by state. */
const totals = (page: Page) => page.getByRole('list', { name: en['totals.name'] }).getByRole('listitem')

test('those that wait for a person come first, with their state in words, and are counted', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await world.agent('Tove')
  await world.activity(ada, 'working', { text: 'Editing commit.go', toolName: 'edit', usage: { inputTokens: 12_000, costUsd: 0.25 } })
  await open(page, host)
  const rows = residents(page).getByRole('listitem')
  await expect(rows).toHaveText([/^Adaworking · Editing commit\.go \(edit\)/, /^Grace/, /^Tove/])
  await expect(resident(page, 'Grace'), 'nothing is said of an agent that says nothing').toHaveAccessibleDescription(/^langchain · at \d+, \d+$/)
  await expect(totals(page)).toHaveText(['1 working'])
  await expect(page.getByText('3 agents · 12K tokens · $0.25')).toBeVisible()
  expect(await page.title()).not.toMatch(/^\(/)

  await world.activity(grace, 'waiting', { text: 'Approve \u202esend_email\nnow' })
  await expect(rows).toHaveText([/^Gracewaiting · Approve send_email now0s$/, /^Ada/, /^Tove/])
  await expect(resident(page, 'Grace')).toHaveAccessibleDescription('waiting · Approve send_email now 0s')
  await expect(totals(page)).toHaveText(['1 waiting', '1 working'])
  await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  expect(await violations(page)).toEqual([])
})

test('rows stay in their places while the pointer moves over them, and keep the focus when they move', async ({ page, host, world }) => {
  await page.clock.install()
  const ids: string[] = []
  for (const name of ['Ada', 'Grace', 'Tove', 'Zoe']) ids.push(await world.agent(name))
  await open(page, host)
  const rows = residents(page).getByRole('listitem')
  await resident(page, 'Ada').hover()
  await world.activity(ids[2] ?? '', 'waiting')
  await expect(rows).toHaveText([/^Ada/, /^Grace/, /^Tovewaiting/, /^Zoe/])
  await page.clock.runFor(2000)
  await expect(rows).toHaveText([/^Tovewaiting/, /^Ada/, /^Grace/, /^Zoe/])

  await page.mouse.move(900, 20)
  await resident(page, 'Zoe').focus()
  await world.activity(ids[3] ?? '', 'working')
  await world.activity(ids[2] ?? '', 'idle')
  await expect(rows, 'the focused row moves to the top').toHaveText([/^Zoeworking/, /^Toveidle/, /^Ada/, /^Grace/])
  await expect(resident(page, 'Zoe')).toBeFocused()
  await world.activity(ids[0] ?? '', 'waiting')
  await world.activity(ids[1] ?? '', 'waiting')
  await world.activity(ids[2] ?? '', 'failed')
  await expect(rows, 'the focused row moves to the end').toHaveText([/^Adawaiting/, /^Gracewaiting/, /^Tovefailed/, /^Zoeworking/])
  await expect(resident(page, 'Zoe')).toBeFocused()
})

test('groups have headings, and agents are below those that started them', async ({ page, host, world }) => {
  const ada = await world.agent('Ada', { group: 'payments' })
  const grace = await world.agent('Grace', { parentId: ada })
  await world.agent('Alan', { group: 'search' })
  await world.agent('Tove')
  await open(page, host)
  await expect(page.locator('.group h2')).toHaveText(['payments', 'search', en['residents.others']])
  const started = page.getByRole('list', { name: 'payments' }).getByRole('listitem').nth(1)
  await expect(started).toHaveAttribute('aria-level', '2')
  await expect(started.getByRole('button')).toHaveAccessibleDescription(/started by Ada$/)
  expect(await violations(page)).toEqual([])
  await world.activity(grace, 'failed', { text: 'Timeout' })
  await page.getByRole('list', { name: 'payments' }).getByRole('button', { name: 'Grace' }).click()
  await expect(panel(page, 'Grace').locator('.nowline')).toContainText('failed · Timeout')
  await part(page, 'facts')
  await panel(page, 'Grace').getByRole('button', { name: 'Ada' }).click()
  await expect(panel(page, 'Ada').locator('dd').filter({ hasText: 'Grace' })).toBeVisible()
})

test('the map shows the state and what an agent does, also for a screen reader', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  const picture = (): Promise<string> => map(page).evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())
  const seen = new Set([await picture()])
  for (const state of ['working', 'waiting', 'done', 'failed', 'idle'] as const) {
    await world.activity(ada, state)
    await reached(page, (await world.head()).rev)
    await expect.poll(async () => seen.has(await picture()), { message: state }).toBe(false)
    seen.add(await picture())
  }
  await world.activity(ada, 'waiting', { text: 'Approve it' })
  await expect(residents(page)).toContainText('Approve it')
  await map(page).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('status').filter({ hasText: 'Ada, Agent, waiting: Approve it, at ' })).toHaveCount(1)
})

test('the age of a state grows, and nothing else is drawn again', async ({ page, host, world }) => {
  await page.clock.install()
  const ada = await world.agent('Ada')
  await world.activity(ada, 'working', { text: 'Reading' })
  await open(page, host)
  const age = residents(page).locator('time')
  await page.clock.runFor(65_000)
  await expect(age).toHaveText('1m')
  const changes = await page.evaluateHandle(() => {
    const seen: string[] = []
    new MutationObserver((records) => { for (const { target } of records) seen.push(target.parentElement?.className ?? '') })
      .observe(document.querySelector('.register') ?? document, { subtree: true, childList: true, characterData: true, attributes: true })
    return seen
  })
  await page.clock.runFor(60_000)
  await expect(age).toHaveText('2m')
  expect(await changes.jsonValue()).toEqual(['age'])
})

test('in the events only those count that need a person, unless all states are asked for', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  await show(page, 'happenings')
  await world.activity(ada, 'working', { text: 'Reading' })
  await world.activity(ada, 'working', { text: 'Writing' })
  await world.activity(ada, 'waiting', { text: 'May I?' })
  await world.activity(ada, 'done')
  await world.say(ada, 'Good night')
  const articles = feed(page).getByRole('article')
  await expect(articles).toHaveText([/Ada saidGood night$/, /Ada is waiting for a personMay I\?$/, /Ada came to/])
  await page.getByRole('combobox', { name: en['feed.kind'] }).selectOption({ label: en['kind.activity'] })
  await expect(articles).toHaveText([/Ada is done$/, /Ada is waiting for a person/, /Ada is workingWriting$/])
  expect(await violations(page)).toEqual([])
})

test('a moment of the past has the states and the ages of then', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.activity(ada, 'working', { text: 'Reading' })
  const { seq } = await world.head()
  await world.activity(ada, 'done')
  await open(page, host)
  await expect(resident(page, 'Ada')).toHaveAccessibleDescription(/^done/)
  await page.goto(`${host.url}/play/watch?t=${seq}`)
  await expect(page.getByRole('region', { name: en['past.bar'] })).toHaveAttribute('data-proved', 'true')
  await show(page, 'residents')
  await expect(resident(page, 'Ada')).toHaveAccessibleDescription('working · Reading 0s')
  await expect(totals(page)).toHaveText(['1 working'])
})

test('a recording that is dropped on the page has the states of then', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const file = join(host.folder, 'town.ndjson')
  const tail = start(host.folder, ['tail', '--server', host.url, '--record', file, '--until', 'interaction'])
  await expect.poll(() => existsSync(file), 'it starts with the current map').toBe(true)
  await world.activity(ada, 'working', { text: 'Reading' })
  await world.activity(ada, 'waiting', { text: 'May I?' })
  await world.say(ada, 'The end')
  expect(await tail.exited).toBe(0)
  await world.activity(ada, 'done')
  await open(page, host)
  await expect(resident(page, 'Ada')).toHaveAccessibleDescription(/^done/)
  const dragged = await page.evaluateHandle((recorded) => {
    const data = new DataTransfer()
    data.items.add(new File([recorded], 'town.ndjson', { type: 'application/x-ndjson' }))
    return data
  }, await readFile(file, 'utf8'))
  await page.locator('canvas').first().dispatchEvent('drop', { dataTransfer: dragged })
  const bar = page.getByRole('region', { name: en['past.bar'] })
  await expect(bar).toHaveAttribute('data-proved', 'true')
  await bar.getByRole('slider').press('Home')
  await expect(resident(page, 'Ada')).toHaveAccessibleDescription(/^working · Reading/)
  await bar.getByRole('slider').press('End')
  await expect(resident(page, 'Ada')).toHaveAccessibleDescription(/^waiting · May I\?/)
  await expect(totals(page)).toHaveText(['1 waiting'])
})

test('only agents that wait or failed are announced', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await open(page, host)
  await world.activity(grace, 'working', { text: 'Reading' })
  await world.activity(ada, 'waiting', { text: 'May I?' })
  await world.activity(ada, 'waiting', { text: 'May I, please?' })
  await expect(page.getByRole('status').filter({ hasText: /^Ada is waiting for a person: May I\?$/ })).toHaveCount(1)
})

test('hostile texts stay in their rows', async ({ page, host, world }) => {
  const ada = await world.agent('Ada', { group: 'G\u202e'.repeat(32) })
  await world.activity(ada, 'waiting', { text: `<img src=x onerror=alert(1)>${'\u202e\u0301'.repeat(80)}`, toolName: 'W'.repeat(128) })
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, host)
  await expect(page.getByText(/<img src=x/).first()).toBeAttached()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  const [row] = await page.locator('.item').evaluateAll((items) => items.map((item) => item.getBoundingClientRect().height))
  expect(row).toBeLessThan(70)
})

test.describe('on a wall', () => {
  test('the totals are in large letters, and the camera moves only to those that need a person', async ({ page, host, world }) => {
    await page.clock.install()
    const ids: string[] = []
    for (let number = 1; number <= 12; number++) ids.push(await world.agent(`Agent ${number}`))
    await page.goto(`${host.url}/play/watch?view=wall`)
    await expect(page.locator('.truth')).toHaveText(`${en['status.live']}${en['status.verified']}`)
    await world.activity(ids[3] ?? '', 'working', { text: 'Reading' })
    await expect(totals(page)).toHaveText(['1 working'])
    await page.clock.runFor(2000)
    await expect(page.locator('.overview:not([hidden])')).toHaveCount(0)
    await world.activity(ids[3] ?? '', 'waiting', { text: 'May I?' })
    await expect(totals(page)).toHaveText(['1 waiting'])
    await expect(page.locator('.latest')).toHaveText('Agent 4 is waiting for a person: May I?')
    await page.clock.runFor(2000)
    await expect(page.locator('.overview:not([hidden])')).toHaveCount(1)
    expect(await violations(page)).toEqual([])
  })
})
