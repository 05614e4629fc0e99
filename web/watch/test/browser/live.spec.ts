/** Events of the world appear on the page as they happen. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, reached, resident, residents, show } from './fixtures/town.js'

test.use({ repository: false })

test('an empty world shows how to start', { tag: '@usual' }, async ({ page, host, world }) => {
  await open(page, host)
  await expect(page.getByText(en['page.empty'])).toBeVisible()
  expect(await violations(page)).toEqual([])
  await world.agent('Ada')
  await expect(page.getByText(en['page.empty'])).toBeHidden()
})

test('residents are listed, arrivals appear and departures disappear', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await world.mcp('weather')
  await open(page, host)
  await expect(resident(page, 'Ada')).toBeVisible()
  const grace = await world.agent('Grace', { type: 'openai-agents' })
  await expect(resident(page, 'Grace')).toBeVisible()
  await expect(resident(page, 'Grace')).toHaveAccessibleDescription(new RegExp(`openai-agents .* ${en['residents.new']}$`))
  await expect(resident(page, 'Ada')).not.toHaveAccessibleDescription(new RegExp(en['residents.new']))
  await world.register(grace, 'Grace', { type: 'crewai' })
  await expect(resident(page, 'Grace'), 'a change is shown').toHaveAccessibleDescription(/crewai/)
  await world.leave(ada)
  await expect(page.getByRole('region', { name: en['presence.recentlyLeft'] }).getByRole('listitem')).toContainText('Ada')
  await expect(resident(page, 'Ada')).toHaveCount(0)
  await expect(resident(page, 'Grace')).toBeVisible()
  await reached(page, (await world.head()).rev)
})

test('a name is shown as plain text', { tag: '@usual' }, async ({ page, host, world }) => {
  const name = '<img src=x onerror="globalThis.intruder=1">'
  const id = await world.agent(name)
  await open(page, host)
  await world.say(id, '<script>globalThis.intruder=1</script>')
  await expect(residents(page).getByText(name)).toBeVisible()
  await show(page, 'happenings')
  await expect(feed(page)).toContainText('<script>globalThis.intruder=1</script>')
  expect(await page.evaluate(() => 'intruder' in globalThis)).toBe(false)
})

test('places are sorted by name, with a button to show all of many neighbors', async ({ page, host, world }) => {
  for (const number of [10, 9, 12, 1, 11, 2, 3, 8, 4, 7, 5, 6]) await world.mcp(`library ${number}`)
  await open(page, host)
  await show(page, 'places')
  const names = page.getByRole('region', { name: en['places.mcp'] }).getByRole('button')
  await expect(names).toHaveText(Array.from({ length: 12 }, (_, place) => `library ${place + 1}`))
  await names.first().click()
  const chips = panel(page, 'library 1').locator('.chips button.link')
  await expect(chips).toHaveCount(8)
  await panel(page, 'library 1').getByRole('button', { name: 'Show all 11' }).click()
  await expect(chips).toHaveCount(11)
})

test('the search for residents is kept while something else is shown', async ({ page, host, world }) => {
  for (const name of ['Ada', 'Grace']) await world.agent(name)
  await open(page, host)
  const search = page.getByRole('searchbox', { name: en['residents.find'] })
  await search.fill('gra')
  await expect(resident(page, 'Ada')).toBeHidden()
  await show(page, 'places')
  await show(page, 'residents')
  await expect(search).toHaveValue('gra')
  await expect(residents(page).getByRole('button')).toHaveText(['Grace'])
})

test('a line is in the feed and in the panel of its speaker', { tag: '@usual' }, async ({ page, host, world }) => {
  const ada = await world.agent('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  await world.say(ada, 'The third chapter of the blue one.')
  const about = panel(page, 'Ada')
  await expect(about.getByText('The third chapter of the blue one.')).toBeVisible()
  await show(page, 'happenings')
  await expect(feed(page).getByText('The third chapter of the blue one.')).toBeVisible()
})

test.describe('with the older paths', () => {
  test.use({ hostFlags: ['--compat', 'agent-play'] })

  test('the page is the same', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host, '/agent-play/watch')
    await expect(resident(page, 'Ada')).toBeVisible()
    await world.agent('Grace')
    await expect(resident(page, 'Grace')).toBeVisible()
  })
})
