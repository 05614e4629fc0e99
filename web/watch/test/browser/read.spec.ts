/** Full texts can be opened from the map and from the feed; and three command lines start a world. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { type Extent, extent, map } from './fixtures/map.js'
import { type Running, printed, start } from './fixtures/program.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show } from './fixtures/town.js'

const long = `The *end* ${'of a long story. '.repeat(60)}Really.`

test.describe('a line', () => {
  test.use({ repository: false })

  test('opens from its bubble, and Escape closes it alone', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await open(page, host)
    await resident(page, 'Ada').click()
    await world.say(ada, long)
    const dialog = page.getByRole('dialog', { name: en['read.title'] })
    await expect.poll(async () => await extent(page, 'zoom-in') !== undefined).toBe(true)
    await map(page).click({ position: middleOf(await extent(page, 'zoom-in')) })
    await expect(dialog.locator('em')).toHaveText('end')
    await expect(dialog).toContainText('Really.')
    await expect(panel(page, 'Ada'), 'a click on a bubble closes nothing').toBeVisible()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(panel(page, 'Ada')).toBeVisible()
  })

  test('is on the map if the clock of the browser is an hour ahead', async ({ page, host, world }) => {
    await page.addInitScript(() => {
      const right = Date.now.bind(Date)
      Date.now = () => right() + 3_600_000
    })
    const ada = await world.agent('Ada')
    await open(page, host)
    await resident(page, 'Ada').click()
    await world.say(ada, 'Hello')
    await expect.poll(async () => await extent(page, 'zoom-in') !== undefined).toBe(true)
  })

  test('shows JSON indented, and a table whose words are whole', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await world.say(ada, '{"city":"Oslo","temp":{"now":9007199254740993}}')
    await world.say(ada, `| name | what it is |\n|---|---|\n| row | ${'a long explanation of this row '.repeat(6)}|`)
    await open(page, host)
    await show(page, 'happenings')
    for (const row of await feed(page).getByRole('article').all()) {
      const button = row.getByRole('button', { expanded: false })
      if (await button.count() > 0) await button.first().click()
    }
    await expect(feed(page).locator('pre')).toHaveText('{\n  "city": "Oslo",\n  "temp": {\n    "now": 9007199254740993\n  }\n}')
    const cell = feed(page).getByRole('cell', { name: 'row', exact: true })
    const line = await cell.evaluate((node) => { const range = document.createRange(); range.selectNodeContents(node); return range.getClientRects().length })
    expect(line, 'the word is on one line').toBe(1)
  })

  test('expands in the list, as Markdown, and stays expanded while the list grows', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    for (let line = 1; line <= 30; line++) await world.say(ada, `line ${line}`)
    await world.say(ada, long)
    await world.say(ada, 'After it')
    await open(page, host)
    await show(page, 'happenings')
    const lines = feed(page).getByRole('article')
    const told = lines.filter({ hasText: 'The end of a long story.' })
    const after = lines.filter({ hasText: 'line 30' })
    await expect(told, 'collapsed it is plain text').not.toContainText('*')
    await told.getByRole('button', { expanded: false }).click()
    await expect(told.locator('em')).toHaveText('end')
    await expect(told, 'all of it').toContainText('Really.')
    const overlap = async (): Promise<boolean> => {
      const [above, below] = [await told.boundingBox(), await after.boundingBox()]
      return above === null || below === null || above.y + above.height > below.y + 1
    }
    await expect.poll(overlap, 'following lines make room').toBe(false)
    expect(await violations(page), 'unfolded').toEqual([])

    const before = await told.boundingBox()
    await world.say(ada, 'One more')
    const newer = page.getByRole('button', { name: '1 new event' })
    await expect(newer).toBeVisible()
    expect(await told.boundingBox(), 'the line that is read stays in place').toEqual(before)
    await newer.click()
    await expect(lines.filter({ hasText: 'One more' })).toBeVisible()
    await expect(told.locator('em')).toBeVisible()
    await expect.poll(overlap).toBe(false)
    await told.getByRole('button', { expanded: true }).click()
    await expect(told.locator('em')).toBeHidden()
    const [folded, next] = [await told.boundingBox(), await after.boundingBox()]
    expect((next?.y ?? 0) - (folded?.y ?? 0)).toBe(folded?.height)
  })
})

/** Returns the middle of an extent. */
function middleOf(extent: Extent | undefined): { x: number; y: number } {
  const { left, right, top, bottom } = extent ?? { left: 0, right: 0, top: 0, bottom: 0 }
  return { x: (left + right) / 2, y: (top + bottom) / 2 }
}

test.describe('words on the map', () => {
  test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

  test('are complete in a window; in a crowd on a phone a mark replaces and opens them', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    for (let number = 1; number <= 13; number++) await world.agent(`Agent ${number}`)
    await open(page, host)
    await world.say(ada, 'The river is high today: take the bridge over there, if you would rather be dry when you come.')
    const width = async (): Promise<number> => {
      const { left = 0, right = 0 } = await extent(page, 'zoom-in') ?? {}
      return right - left
    }
    await expect.poll(width).toBeGreaterThan(150)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(async () => { const wide = await width(); return wide > 0 && wide < 60 }).toBe(true)
    await map(page).click({ position: middleOf(await extent(page, 'zoom-in')) })
    await expect(page.getByRole('dialog', { name: en['read.title'] })).toContainText('when you come.')
  })
})

test.describe('an empty world', () => {
  let home = ''
  let hold: Running | undefined
  test.beforeEach(() => { home = mkdtempSync(join(tmpdir(), 'playctl-watch-')) })
  test.afterEach(async () => {
    hold?.process.kill('SIGINT')
    await hold?.exited
    rmSync(home, { recursive: true, force: true })
  })

  /** Runs command lines in a home directory of their own, in order; the last one keeps running. */
  async function run(lines: readonly string[]): Promise<void> {
    const commands = lines.map((line) => line.replace(/^playctl /, '').split(' '))
    for (const command of commands.slice(0, -1)) {
      const running = start(home, command, false)
      expect(await running.exited, running.errors).toBe(0)
    }
    hold = start(home, commands.at(-1) ?? [], false)
    await printed(hold, /./)
  }

  test.use({ hostFlags: ['--world-name', 'Harbor & Hill'] })

  test('has a name and three commands that add an agent', async ({ page, host, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, host)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbor & Hill')
    await expect(page).toHaveTitle('Harbor & Hill, 0 agents')
    const lines = await page.locator('.nothing code').allTextContents()
    expect(lines).toHaveLength(3)
    for (const [place, line] of lines.entries()) {
      expect(line, 'it names this host').toContain(` --server ${host.url}`)
      const copy = page.locator('.nothing .copied').nth(place).getByRole('button')
      await copy.click()
      await expect(copy).toHaveText(en['proof.copied'])
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line)
    }
    expect(await violations(page)).toEqual([])
    await run(lines)
    await expect(resident(page, 'Ada')).toBeVisible()
    await page.goto(`${host.url}/play/watch?view=wall`)
    await expect(page.getByRole('heading', { level: 1 }), 'on a wall as well').toHaveText('Harbor & Hill')
  })

  test.describe('without accounts', () => {
    test.use({ repository: false })

    test('has one command that adds an agent', async ({ page, host }) => {
      await open(page, host)
      await expect(page.getByText(en['page.emptyHowHere'])).toBeVisible()
      const lines = await page.locator('.nothing code').allTextContents()
      expect(lines).toHaveLength(1)
      await run(lines)
      await expect(resident(page, 'Ada')).toBeVisible()
    })
  })
})
