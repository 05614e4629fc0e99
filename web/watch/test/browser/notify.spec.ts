/** Browser notifications of an agent or of a word: only on request, and until it is withdrawn. */

import type { Page } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { launchOptions } from '../../../sdk/test/chromium.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident, verified } from './fixtures/town.js'

test.use({ repository: false, launchOptions: launchOptions('whole') })

/** Records the page's notifications, and how often it requested permission. */
async function record(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: string[] = []
    let asked = 0
    const ask = Notification.requestPermission.bind(Notification)
    Object.assign(window, {
      seen: () => seen, asked: () => asked,
      Notification: class extends Notification {
        static override requestPermission(): Promise<NotificationPermission> { asked += 1; return ask() }
        constructor(title: string, options: NotificationOptions) { super(title, options); seen.push(`${title}: ${options.body ?? ''}`) }
      },
    })
  })
}

const seen = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as { seen: () => string[] }).seen())

test('an agent and a word cause notifications, after a click and until they are removed', async ({ page, context, host, world }) => {
  await context.grantPermissions(['notifications'])
  await record(page)
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await world.say(ada, 'Before anybody asked')
  await open(page, host)
  await resident(page, 'Ada').click()
  const bell = panel(page, 'Ada').getByRole('button', { name: en['notify.agent'] })
  await bell.click()
  await expect(bell).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Notify: 1' }).click()
  const sheet = page.getByRole('group', { name: en['notify.heading'] })
  await sheet.getByLabel(en['notify.word']).fill('flood')
  await sheet.getByRole('button', { name: en['notify.add'] }).click()
  await expect(sheet.getByRole('listitem')).toHaveText([/^Ada/, /^“flood”/])
  expect(await violations(page)).toEqual([])

  await world.say(grace, 'A quiet evening')
  await world.say(grace, 'The FLOOD has come')
  await world.say(ada, 'I go and look')
  await expect.poll(() => seen(page)).toEqual(['Grace said: The FLOOD has come', 'Ada said: I go and look'])

  await page.reload()
  await verified(page)
  await page.getByRole('button', { name: 'Notify: 2' }).click()
  await sheet.getByRole('button', { name: 'Do not notify me of Ada' }).click()
  await expect(page.getByRole('button', { name: 'Notify: 1' })).toBeVisible()
  await expect(sheet, 'the focus moves to the group of the button').toBeFocused()
  await world.say(ada, 'Nobody is notified of this')
  await world.say(grace, 'Another flood')
  await expect.poll(() => seen(page)).toEqual(['Grace said: Another flood'])
})

test('agents that wait or fail cause notifications, also right after a line, once for each state', async ({ page, context, host, world }) => {
  await context.grantPermissions(['notifications'])
  await record(page)
  const ada = await world.agent('Ada')
  const grace = await world.agent('Grace')
  await open(page, host)
  await resident(page, 'Ada').click()
  await panel(page, 'Ada').getByRole('button', { name: en['notify.agent'] }).click()
  await world.say(ada, 'I ask')
  await world.activity(ada, 'waiting', { text: 'May I?' })
  await world.activity(ada, 'waiting', { text: 'May I, please?' })
  await world.activity(grace, 'failed', { text: 'Timeout' })
  await expect.poll(() => seen(page)).toEqual(['Ada said: I ask', 'Ada is waiting for a person: May I?'])

  await page.getByRole('button', { name: 'Notify: 1' }).click()
  await page.getByRole('button', { name: en['notify.needs'], exact: true }).click()
  const sheet = page.getByRole('group', { name: en['notify.heading'] })
  await expect(sheet.getByRole('listitem')).toHaveText([/^Ada/, new RegExp(`^${en['notify.needs']}`)])
  expect(await violations(page)).toEqual([])
  await world.activity(grace, 'working')
  await world.activity(grace, 'waiting')
  await expect.poll(async () => (await seen(page)).slice(2)).toEqual(['Grace is waiting for a person: '])
})

test('a denied permission is reported, and is requested only by a click', async ({ page, host }) => {
  await record(page)
  await page.addInitScript(() => { Object.defineProperty(Notification, 'permission', { get: () => 'denied' }) })
  await open(page, host)
  await page.getByRole('button', { name: en['notify.title'], exact: true }).click()
  await expect(page.getByText(en['notify.denied'])).toBeVisible()
  expect(await page.evaluate(() => (window as unknown as { asked: () => number }).asked())).toBe(0)
  await page.goBack()
  await expect(page.getByText(en['notify.denied'])).toBeHidden()
})
