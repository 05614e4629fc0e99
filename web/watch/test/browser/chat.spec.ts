/** Questions: who sees them, and which are not sent. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show, status, verified } from './fixtures/town.js'

test('a question is visible only to its person and the agent', { tag: '@usual' }, async ({ page, browser, host, world, pageErrors, serve }) => {
  const grace = await world.agent('Grace')
  await serve('Ada')
  const elsewhere = await browser.newContext()
  const other = await elsewhere.newPage()
  pageErrors.watch(other, host)
  for (const viewer of [page, other]) {
    await open(viewer, host)
    await resident(viewer, 'Ada').click()
    await show(viewer, 'happenings')
  }
  const message = panel(page, 'Ada').getByRole('textbox', { name: 'Message to Ada' })
  await message.fill('This is a secret')
  await message.press('Enter')
  await expect(panel(page, 'Ada').getByRole('article').getByText('You said: This is a secret')).toBeVisible()
  await expect(feed(page).getByText('You said: This is a secret')).toBeVisible()
  await expect(page.getByRole('status').getByText('Ada answered: You said: This is a secret')).toBeAttached()
  expect(await violations(page), 'a conversation').toEqual([])

  // A later line is visible, and so the answer would be, too.
  await world.say(grace, 'Good evening')
  await expect(feed(other).getByText('Good evening')).toBeVisible()
  await expect(other.getByText('secret')).toHaveCount(0)
  await elsewhere.close()
})

test('a draft is kept while something else is shown', async ({ page, host, world }) => {
  await world.agent('Ada')
  await world.agent('Grace')
  await open(page, host)
  await resident(page, 'Ada').click()
  await panel(page, 'Ada').getByRole('textbox').fill('Half a message')
  await panel(page, 'Ada').getByRole('tab', { name: en['panel.facts'] }).click()
  await expect(panel(page, 'Ada').getByRole('textbox')).toHaveCount(0)
  await panel(page, 'Ada').getByRole('tab', { name: en['panel.talk'] }).click()
  await expect(panel(page, 'Ada').getByRole('textbox')).toHaveValue('Half a message')
  await resident(page, 'Grace').click()
  await expect(panel(page, 'Grace').getByRole('textbox')).toHaveValue('')
  await resident(page, 'Ada').click()
  await expect(panel(page, 'Ada').getByRole('textbox')).toHaveValue('Half a message')
})

test('a message that could not be sent is kept, and can be sent again', { tag: '@usual' }, async ({ page, host, world, pageErrors }) => {
  pageErrors.expect(/Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/)
  await world.agent('Ada', { assistTools: [{ name: 'assist_wave', description: 'Waves', parameters: {} }] })
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')
  await about.getByRole('button', { name: 'Wave', exact: true }).click()
  const message = about.getByRole('textbox', { name: 'Message to Ada' })
  await message.fill('Good morning')
  await host.kill()
  await expect(status(page).getByText(en['status.live'], { exact: true })).toBeHidden()
  await expect(about.getByText(en['assist.offline'])).toBeVisible()
  await message.press('Enter')
  await expect(message, 'the text is kept').toHaveValue('Good morning')

  const form = about.getByRole('form', { name: 'Wave' })
  await form.getByRole('button', { name: en['assist.send'] }).click()
  const asked = about.getByRole('article')
  await expect(asked.getByText(en['chat.notSent'])).toBeVisible()
  expect(await violations(page), 'not sent').toEqual([])
  await host.start()
  await verified(page)
  await asked.getByRole('button', { name: en['chat.retry'] }).press('Enter')
  await expect(asked.getByText(en['chat.forwarded'])).toBeVisible()
  await expect(asked, 'the focus moves when the pressed button is removed').toBeFocused()
  await expect(asked).toHaveCount(1)
  await message.press('Enter')
  await expect(asked).toHaveCount(2)
  await expect(message).toHaveValue('')
})

test('an unanswered question shows that no program answers, and the waiting time', async ({ page, host, world }) => {
  await page.clock.install()
  await world.agent('Grace')
  await open(page, host)
  await resident(page, 'Grace').click()
  const message = panel(page, 'Grace').getByRole('textbox', { name: 'Message to Grace' })
  await message.fill('Are you there?')
  await message.press('Enter')
  const asked = panel(page, 'Grace').getByRole('article')
  await expect(asked).toHaveAttribute('data-status', 'forwarded')
  await expect(asked.getByText(en['chat.nobody'])).toHaveCount(0)
  await page.clock.runFor(10_000)
  await expect(asked).toContainText(/1\d sec/)
  await expect(asked.getByText(en['chat.nobody'])).toBeVisible()
  expect(await violations(page)).toEqual([])
})
