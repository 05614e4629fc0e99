/** The verification, shown on request. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident, status, verified } from './fixtures/town.js'

test.use({ repository: false })

test('the badge opens the proof with its time, the root and the command to check it', { tag: '@usual' }, async ({ page, context, host, world }) => {
  const ada = await world.agent('Ada')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, host)
  await resident(page, 'Ada').click()
  await status(page).getByRole('button', { name: en['status.verified'] }).click()
  const proof = page.getByRole('group', { name: en['proof.title'] })
  await expect(proof).toContainText(/this browser hashed 3 leaves, .* rev 1\./)
  await expect(proof).toContainText('0 events were verified')
  await world.say(ada, 'Good morning')
  await expect(proof).toContainText('1 event was verified')
  const root = await status(page).getAttribute('data-root') ?? ''
  await expect(proof).toContainText(root)
  await proof.getByRole('button', { name: en['proof.copy'] }).first().click()
  await expect(proof.getByRole('button', { name: en['proof.copied'] })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(root)
  await world.agent('Grace')
  await expect(proof, 'there is another root now').not.toContainText(root)
  await expect(proof.getByRole('button', { name: en['proof.copied'] }), 'the new root was not copied').toHaveCount(0)
  await expect(proof).toContainText(`playctl chain verify --server ${host.url}`)
  // This host has no accounts: the command works for everybody.
  await expect(proof).not.toContainText(en['proof.account'])
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(proof).toBeHidden()
  await expect(panel(page, 'Ada'), 'Escape closes one thing at a time').toBeVisible()
  await verified(page)
})

test.describe('on a host with accounts', () => {
  test.use({ repository: true })

  test('the proof says that the command needs an account', async ({ page, host, world }) => {
    await world.agent('Ada')
    await open(page, host)
    await status(page).getByRole('button', { name: en['status.verified'] }).click()
    await expect(page.getByRole('group', { name: en['proof.title'] })).toContainText(en['proof.account'])
  })
})
