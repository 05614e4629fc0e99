/** All lines and actions of an agent, the proof of its row, and the camera that follows it. */

import { readFile } from 'node:fs/promises'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { figureOf, map, settled } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, part, resident, status } from './fixtures/town.js'
import { journeySteps } from './fixtures/world.js'

test.use({ repository: false })

test('a story is read to its beginning, searched and saved completely', async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.say(ada, 'The first word')
  await world.journey(ada, journeySteps('Which book?', 'The blue one.'))
  for (let line = 1; line <= 120; line++) await world.say(ada, `line ${line}`)
  await open(page, host)
  await resident(page, 'Ada').click()
  await expect(panel(page, 'Ada').locator('.nowline')).toContainText('Ada said: line 120')
  await part(page, 'story')
  const story = panel(page, 'Ada').getByRole('region', { name: en['lines.title'] })
  await expect(story.locator('[data-seq]').first()).toContainText('line 120')
  await world.say(ada, '**Later** and `safe` <img src=x onerror=alert(1)>')
  await expect(story.locator('[data-seq]').first().locator('strong')).toHaveText('Later')
  await expect(story.locator('[data-seq]').first()).toContainText('<img src=x')
  await expect(story.locator('img')).toHaveCount(0)
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => { answer = resolve })
  await page.route('**/sdk/rpc*', async (route) => {
    if (route.request().postData()?.includes('beforeSeq') === true) await held
    await route.continue()
  })
  await story.getByRole('button', { name: en['lines.earlier'] }).click()
  await world.say(ada, 'said meanwhile')
  await expect(story.locator('[data-seq]').first()).toContainText('said meanwhile')
  answer()
  await expect(story.locator('[data-seq]').filter({ hasText: 'line 30' }), 'earlier lines are shown').toHaveCount(1)
  await expect(story.locator('[data-seq]').first(), 'and no line is removed').toContainText('said meanwhile')
  await page.unroute('**/sdk/rpc*')
  for (const save of ['json', 'markdown'] as const) {
    const [download] = await Promise.all([page.waitForEvent('download'), story.getByRole('button', { name: en[`story.${save}`] }).click()])
    const words = await readFile(await download.path(), 'utf8')
    expect(words).toContain('The first word')
    expect(words).toContain('search')
    if (save === 'json') expect((JSON.parse(words) as { story: unknown[] }).story).toHaveLength(124)
  }
  await story.getByRole('searchbox').fill('blue')
  await expect(story.locator('[data-seq]')).toHaveCount(1)
  expect(await violations(page)).toEqual([])
})

test('the row of an agent is proved separately, up to the root of the page', async ({ page, host, world, pageErrors }) => {
  await world.agent('Ada')
  for (const name of ['Grace', 'Alan', 'Edsger', 'Barbara']) await world.agent(name)
  await open(page, host)
  await resident(page, 'Ada').click()
  await part(page, 'facts')
  const proof = panel(page, 'Ada').getByRole('region', { name: en['prove.title'] })
  await proof.getByRole('button', { name: en['prove.button'] }).click()
  await expect(proof).toContainText('leaf 3 of 7')
  await expect(proof).toContainText(en['prove.same'])
  const root = await status(page).getAttribute('data-root') ?? ''
  await expect(proof.locator('.root title')).toHaveText(root)
  await expect(proof.getByRole('img', { name: /3 levels/ })).toBeVisible()
  await world.agent('Tim')
  await expect(proof, 'the shown map has changed').not.toContainText(en['prove.same'])
  expect(await violations(page)).toEqual([])
  pageErrors.expect(/./)
  await page.route('**/sdk/rpc*', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, body: (await reply.text()).replace('"name":"Ada"', '"name":"Eve"') })
  })
  await proof.getByRole('button', { name: en['prove.button'] }).click()
  await expect(proof.getByRole('alert')).toContainText('It could not be proved')
})

test('the camera follows an agent until the person moves it', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  const follow = panel(page, 'Ada').getByRole('button', { name: en['panel.follow'] })
  await page.keyboard.press('f')
  await expect(follow).toHaveAttribute('aria-pressed', 'true')
  const { x, y } = figureOf(await settled(page))
  const box = await map(page).boundingBox()
  expect(box !== null && x > 356 && x < box.width - 408 && y > 100).toBe(true)
  await map(page).press('Shift+ArrowLeft')
  await expect(follow).toHaveAttribute('aria-pressed', 'false')
  await follow.click()
  await expect(follow).toHaveAttribute('aria-pressed', 'true')
})
