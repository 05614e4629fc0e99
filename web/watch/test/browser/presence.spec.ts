/** Recent arrivals and departures: marked for a while, remembered for a while, and announced to screen readers. */

import type { Locator, Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, resident, show, verified } from './fixtures/town.js'
import { violations } from './fixtures/axe.js'

test.use({ repository: false })

const recentlyLeft = (page: Page): Locator => page.getByRole('region', { name: en['presence.recentlyLeft'] })
const said = (page: Page): Locator => page.getByRole('status')

test('an arrival is new for a minute, and a departure is listed for five', async ({ page, host, world }) => {
  await page.clock.install()
  await world.agent('Ada')
  await open(page, host)
  const grace = await world.agent('Grace')
  const alan = await world.agent('Alan')
  for (const name of ['Grace', 'Alan']) await expect(resident(page, name)).toHaveAccessibleDescription(new RegExp(`${en['residents.new']}$`))
  await expect(resident(page, 'Ada')).not.toHaveAccessibleDescription(new RegExp(`${en['residents.new']}$`))
  await expect(recentlyLeft(page)).toHaveCount(0)

  await world.leave(grace)
  await world.leave(alan)
  await expect(recentlyLeft(page).getByRole('listitem')).toHaveText([/^Alan/, /^Grace/])
  expect(await violations(page)).toEqual([])
  await world.register(grace, 'Grace')
  await expect(resident(page, 'Grace'), 'a returning resident is new').toHaveAccessibleDescription(new RegExp(`${en['residents.new']}$`))
  await expect(recentlyLeft(page).getByRole('listitem'), 'and has not left').toHaveText([/^Alan/])

  await page.clock.fastForward('01:01')
  await expect(resident(page, 'Grace')).not.toHaveAccessibleDescription(new RegExp(`${en['residents.new']}$`))
  await expect(recentlyLeft(page).getByRole('listitem')).toHaveText([/^Alan/])
  await page.clock.fastForward('04:01')
  await expect(recentlyLeft(page)).toHaveCount(0)
  await verified(page)
})

test('events are announced in few words', async ({ page, host, world }) => {
  await page.clock.install()
  const ada = await world.agent('Ada')
  await open(page, host)
  await expect(said(page).getByText(en['say.live'])).toBeAttached()
  await show(page, 'happenings')
  // Events within four seconds of the first are announced together. On the page's clock only a fraction
  // of that time passes until the last has arrived, however long that takes.
  await page.clock.pauseAt(Date.now() + 10_000)
  const next = async (last: string): Promise<void> => {
    await expect(async () => {
      await page.clock.runFor(2)
      await expect(feed(page).getByRole('article').first()).toContainText(last, { timeout: 1 })
    }).toPass({ intervals: [0], timeout: 30_000 })
    await page.clock.runFor(4000)
  }
  const grace = await world.agent('Grace')
  await next('Grace')
  await expect(said(page).getByText('Grace arrived.')).toBeAttached()
  await world.leave(grace)
  await world.say(ada, 'Good morning')
  await world.say(ada, 'What do I hear?', 'user')
  await next('What do I hear?')
  await expect(said(page).getByText('Grace left. Ada: Good morning')).toBeAttached()
  for (const name of ['Alan', 'Barbara', 'Edsger']) await world.agent(name)
  for (let line = 1; line <= 7; line++) await world.say(ada, `line ${line}`)
  await next('line 7')
  await expect(said(page).getByText('Alan and others arrived: 3 in all. 7 new chat lines.')).toBeAttached()

  const notify = page.getByRole('button', { name: en['notify.title'], exact: true })
  const aloud = page.getByRole('checkbox', { name: en['notify.aloud'] })
  await notify.click()
  await aloud.uncheck()
  await page.keyboard.press('Escape')
  await world.say(ada, 'Nobody is to listen')
  await next('Nobody is to listen')
  await page.clock.runFor(4000)
  await expect(said(page).getByText('Nobody is to listen')).toHaveCount(0)
  await notify.click()
  await aloud.check()
  await page.keyboard.press('Escape')
  await world.say(ada, 'Good evening')
  await next('Good evening')
  await expect(said(page).getByText('Ada: Good evening')).toBeAttached()
})

test('the browser keeps the setting for no announcements', async ({ page, host, world }) => {
  await world.agent('Ada')
  await open(page, host)
  const notify = page.getByRole('button', { name: en['notify.title'], exact: true })
  const aloud = page.getByRole('checkbox', { name: en['notify.aloud'] })
  await notify.click()
  await expect(aloud).toBeChecked()
  await aloud.uncheck()
  expect(await violations(page)).toEqual([])
  await page.reload()
  await notify.click()
  await expect(aloud).not.toBeChecked()
})
