/** A person asks an agent, which runs in a process of its own, and sees its answer. */

import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident } from './fixtures/town.js'

test('a tool is called with its form, and a question is answered', { tag: '@usual' }, async ({ page, host, world, serve }) => {
  await world.agent('Grace')
  const agent = await serve('Ada')
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')

  await about.getByRole('button', { name: 'Route', exact: true }).click()
  const form = about.getByRole('form', { name: 'Route' })
  await form.getByRole('button', { name: en['assist.send'] }).click()
  await expect(form.getByText(en['field.missing'])).toBeVisible()
  await form.getByLabel(/^to/i).fill('the shop')
  await form.getByLabel(/^steps/i).fill('7')
  await form.getByLabel(/^quick/i).selectOption({ label: en['assist.yes'] })
  await form.getByRole('button', { name: en['assist.send'] }).click()
  const conversation = about.getByRole('log', { name: en['chat.conversation'] })
  await expect(conversation.getByText('To the shop in 7 steps, quickly')).toBeVisible()

  const message = about.getByRole('textbox', { name: 'Message to Ada' })
  await message.fill('Good morning')
  await message.press('Enter')
  await expect(conversation.getByText('You said: Good morning')).toBeVisible()
  await message.fill('break')
  await message.press('Enter')
  await expect(conversation.getByText('the lamp went out')).toBeVisible()

  await agent.stop()
  await expect(resident(page, 'Ada')).toHaveCount(0)
  await expect(page.getByText('Ada has left the map.')).toBeVisible()
})
