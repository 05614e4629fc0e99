/** The past: any moment that the host stores, verified, and played; and recordings, verified without a host. */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { printed, start } from './fixtures/program.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show, status, verified } from './fixtures/town.js'

test.use({ repository: false })

const bar = (page: Page): Locator => page.getByRole('region', { name: en['past.bar'] })
const moment = (page: Page): Locator => bar(page).getByRole('slider', { name: en['past.moment'] })
const button = (page: Page, name: keyof typeof en & `past.${string}`): Locator => bar(page).getByRole('button', { name: en[name] as string, exact: true })

async function goBack(page: Page): Promise<void> {
  await page.getByRole('button', { name: en['past.show'], exact: true }).click()
  await expect(moment(page)).toBeVisible()
}

/** Waits until the page shows the moment after the event with a seq. */
async function isAt(page: Page, seq: number): Promise<void> {
  await expect(status(page)).toHaveAttribute('data-time', String(seq))
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
}

test('the town is shown at any moment, proved, and live again', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada') // 1
  await world.say(ada, 'Good morning') // 2
  const grace = await world.agent('Grace') // 3
  await world.register(ada, 'Ada L.') // 4
  await world.leave(grace) // 5
  await world.agent('Alan') // 6
  await open(page, host)
  await resident(page, 'Alan').click()
  await goBack(page)
  await expect(bar(page), 'the bar has the focus').toBeFocused()
  await expect(status(page)).not.toHaveAttribute('data-time')
  await panel(page, 'Alan').getByRole('textbox').fill('Half a message')
  await button(page, 'past.back').click()
  await isAt(page, 5)
  await expect(panel(page, 'Alan')).toContainText('Alan is not on the map at this moment.')
  await expect(panel(page, 'Alan').getByRole('textbox')).toBeHidden()
  await button(page, 'past.live').click()
  await expect(bar(page), 'the bar keeps the focus when the town is live again').toBeFocused()
  await expect(panel(page, 'Alan').getByRole('textbox'), 'the draft is kept').toHaveValue('Half a message')
  await button(page, 'past.back').click()
  await isAt(page, 5)
  await expect(resident(page, 'Alan')).toBeHidden()
  await moment(page).press('ArrowLeft')
  await isAt(page, 4)
  await expect(resident(page, 'Grace')).toBeVisible()
  await expect(resident(page, 'Ada L.')).toBeVisible()
  await moment(page).press('Home')
  await isAt(page, 1)
  await expect(resident(page, 'Ada')).toBeVisible()
  await expect(resident(page, 'Grace')).toBeHidden()
  const then = await status(page).getAttribute('data-root')
  expect(await violations(page)).toEqual([])
  await status(page).getByRole('button', { name: en['status.provedThen'] }).click()
  const proof = page.getByRole('group', { name: en['proof.title'] })
  await expect(proof, 'the copy was hashed, not the shown moment').toContainText(/this browser hashed 4 leaves, .* rev 5\./)
  await page.keyboard.press('Escape')
  await expect(proof).toBeHidden()

  await resident(page, 'Ada').click()
  await expect(panel(page, 'Ada')).toContainText(en['past.ask'])
  await bar(page).getByRole('button', { name: 'Next event of Ada' }).click()
  await isAt(page, 2)
  await bar(page).getByRole('button', { name: 'Next event of Ada' }).click()
  await isAt(page, 4)

  await world.agent('Edsger') // 7
  await expect(resident(page, 'Edsger'), 'a later arrival does not change the past').toBeHidden()
  await button(page, 'past.live').click()
  await verified(page)
  await expect(resident(page, 'Edsger')).toBeVisible()
  expect(await status(page).getAttribute('data-root')).not.toBe(then)
  await moment(page).press('End')
  await isAt(page, 7)
  await button(page, 'past.close').click()
  await expect(bar(page)).toBeHidden()
  await verified(page)
})

test('a failed load of the bar is reported with a retry button', async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(/Failed to load resource|ERR_/)
  await world.agent('Ada')
  await page.route('**/TimeBar.js', (route) => route.abort())
  await open(page, host)
  const show = page.getByRole('button', { name: en['past.show'], exact: true })
  await show.click()
  await expect(page.getByText(en['page.older'])).toBeVisible()
  await expect(show).toBeVisible()
})

test('a reset restarts the bar, also while the past is shown', async ({ page, host, world }) => {
  for (const name of ['Ada', 'Grace']) await world.agent(name)
  await open(page, host)
  await goBack(page)
  await moment(page).press('Home')
  await isAt(page, 1)
  await world.reset()
  await expect(status(page), 'the past of another world is not kept').not.toHaveAttribute('data-time')
  await world.agent('Alan')
  await expect(resident(page, 'Alan')).toBeVisible()
  await world.agent('Edsger')
  await expect(resident(page, 'Edsger')).toBeVisible()
  await button(page, 'past.back').click()
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  await expect(resident(page, 'Edsger')).toBeHidden()
  await moment(page).press('Home')
  await expect(resident(page, 'Edsger')).toBeHidden()
  await expect(resident(page, 'Ada')).toBeHidden()
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  await expect(bar(page).getByRole('alert')).toBeHidden()
})

test('a link to a moment before the page was opened shows the same town elsewhere', async ({ page, browser, host, world, pageErrors }) => {
  const ada = await world.agent('Ada')
  for (let i = 0; i < 400; i++) await world.register(ada, `Ada ${i}`)
  const { seq } = await world.head()
  await open(page, host)
  await page.goto(`${host.url}/play/watch?t=150&tab=residents`)
  await isAt(page, 150)
  await expect(resident(page, 'Ada 148')).toBeVisible()
  const [root, link] = [await status(page).getAttribute('data-root'), page.url()]
  const other = await browser.newContext()
  const there = await other.newPage()
  pageErrors.watch(there, host)
  await there.goto(link)
  await isAt(there, 150)
  expect(await status(there).getAttribute('data-root')).toBe(root)
  await show(there, 'happenings')
  await expect(feed(there).locator('[aria-current]')).toHaveAttribute('data-seq', '150')
  await there.goto(`${host.url}/play/watch?t=${seq}`)
  await isAt(there, seq)
  await there.goto('about:blank')
  await other.close()
})

test('the past is played at a higher speed, and ends in the present', async ({ page, host, world }) => {
  await page.clock.install()
  const ada = await world.agent('Ada')
  await open(page, host)
  await goBack(page)
  for (const word of ['One', 'Two', 'Three']) await world.say(ada, word)
  await expect(bar(page)).toContainText('4 events')
  await button(page, 'past.play').click()
  await isAt(page, 1)
  await bar(page).getByRole('combobox', { name: en['past.speed'] }).selectOption('60')
  await expect(async () => {
    await page.clock.runFor(200)
    await expect(status(page)).not.toHaveAttribute('data-time', /./, { timeout: 100 })
  }).toPass()
  await expect(button(page, 'past.play')).toBeVisible()
  await verified(page)
})

test('a recording is proved in the browser, and changed lines are not shown', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const file = join(host.folder, 'town.ndjson')
  const tail = start(host.folder, ['tail', '--server', host.url, '--record', file, '--until', 'interaction'])
  await expect.poll(() => existsSync(file), 'it starts with the current map').toBe(true)
  await world.agent('Grace')
  await world.register(ada, 'Ada L.')
  await world.say(ada, 'The end')
  expect(await tail.exited).toBe(0)
  await open(page, host)
  await goBack(page)
  const recorded = await readFile(file, 'utf8')
  const choose = page.getByLabel(en['past.open']).and(page.locator('input'))
  await choose.setInputFiles({ name: 'town.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(recorded) })
  await expect(status(page)).toHaveAttribute('data-time', /./)
  await moment(page).press('End')
  await expect(resident(page, 'Ada L.')).toBeVisible()
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  const changed = recorded.replaceAll('Ada L.', 'Eve L.')
  await choose.setInputFiles({ name: 'changed.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(changed) })
  await expect(bar(page).getByRole('alert')).toContainText('is missing or was changed')
  // Without its end, the recording ends early, and the proof of its rows finds the change.
  await choose.setInputFiles({ name: 'changed.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(changed.slice(0, changed.lastIndexOf('{"line"'))) })
  await expect(bar(page)).toContainText('The recording ends early')
  await expect(async () => {
    // The file is being read: until then, this is the end of the previous one.
    await moment(page).press('End')
    await expect(bar(page).getByRole('alert')).toContainText('could not be verified', { timeout: 500 })
  }).toPass({ timeout: 30_000 })
  await expect(resident(page, 'Eve L.')).toBeHidden()
  await choose.setInputFiles({ name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('hello\n') })
  await expect(bar(page).getByRole('alert')).toContainText('Line 1 of the file is not a valid recording line')
  await button(page, 'past.live').click()
  await verified(page)
})

test('a recording is opened when it is dropped on the page', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  const file = join(host.folder, 'town.ndjson')
  const tail = start(host.folder, ['tail', '--server', host.url, '--record', file, '--until', 'interaction'])
  await expect.poll(() => existsSync(file), 'it starts with the current map').toBe(true)
  await world.agent('Grace')
  await world.say(ada, 'The end')
  expect(await tail.exited).toBe(0)
  await world.leave('agent-2')
  await open(page, host)
  await expect(resident(page, 'Grace')).toBeHidden()
  const dragged = await page.evaluateHandle((recorded) => {
    const data = new DataTransfer()
    data.items.add(new File([recorded], 'town.ndjson', { type: 'application/x-ndjson' }))
    return data
  }, await readFile(file, 'utf8'))
  await page.locator('canvas').first().dispatchEvent('dragover', { dataTransfer: dragged })
  await expect(page.locator('body.dropping'), 'it states the effect of a drop').toHaveAttribute('data-drop', en['past.drop'])
  await page.locator('canvas').first().dispatchEvent('drop', { dataTransfer: dragged })
  await expect(page.locator('body.dropping')).toHaveCount(0)
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  await moment(page).press('End')
  await expect(resident(page, 'Grace'), 'a resident who has left later is shown').toBeVisible()
  await expect(status(page).getByText('Recording · town.ndjson', { exact: true })).toBeVisible()
  await expect(status(page).getByText(en['status.live'], { exact: true }), 'it is not the live town').toHaveCount(0)
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  await button(page, 'past.live').click()
  await verified(page)
  await expect(resident(page, 'Grace')).toBeHidden()
})

test('"replay --open" shows a recording without a host', async ({ page, host, world, pageErrors }) => {
  const ada = await world.agent('Ada')
  const file = join(host.folder, 'town.ndjson')
  const tail = start(host.folder, ['tail', '--server', host.url, '--record', file, '--until', 'interaction'])
  await expect.poll(() => existsSync(file)).toBe(true)
  await world.agent('Grace')
  await world.say(ada, 'The end')
  expect(await tail.exited).toBe(0)
  await host.kill()
  pageErrors.expect(/left the host/)
  const replay = start(host.folder, ['replay', file, '--open'])
  const [url] = await printed(replay, /http:\/\/127\.0\.0\.1:\d+\/play\/watch/)
  await page.goto(url)
  await expect(status(page)).toContainText(en['status.recording'])
  await expect(bar(page)).toHaveAttribute('data-proved', 'true')
  await moment(page).press('End')
  await expect(resident(page, 'Grace')).toBeVisible()
  expect(await violations(page)).toEqual([])
  replay.process.kill('SIGINT')
  expect(await replay.exited).toBe(130)
})
