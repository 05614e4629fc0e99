/** Forms created from the parameters of tools. */

import type { Locator, Page, Request } from '@playwright/test'
import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { open, panel, resident } from './fixtures/town.js'
import { violations } from './fixtures/axe.js'

test.use({ repository: false })

const trip = {
  name: 'assist_plan_trip',
  description: 'Plans a trip',
  parameters: {
    type: 'object',
    properties: {
      note: { type: 'string' },
      to: { type: 'string', description: 'Where to', minLength: 2, maxLength: 8 },
      steps: { type: 'integer', minimum: 1, maximum: 9 },
      speed: { type: 'number', minimum: 0.5 },
      by: { enum: ['foot', 'bus', 3] },
      stops: { type: 'array' },
      more: { type: 'object' },
      constructor: { type: 'string', description: 'Who built it' },
      toString: { type: 'integer' },
    },
    required: ['to', 'steps'],
  },
}
const ping = { name: 'assist_ping', description: 'Says that it is there', parameters: {} }
const raw = { name: 'assist_raw', description: 'Takes what it is given', parameters: { $ref: '#/elsewhere' } }

/** Collects the commands of the page, as received by the host. */
function commands(page: Page): object[] {
  const sent: object[] = []
  page.on('request', (request: Request) => {
    const body = request.postDataJSON() as { op?: string; payload?: object } | null
    if (body?.op === 'intercomCommand' && body.payload) sent.push(body.payload)
  })
  return sent
}

/** Opens a tool's form. */
async function form(about: Locator, title: string): Promise<Locator> {
  await about.getByRole('button', { name: title, exact: true }).click()
  return about.getByRole('form', { name: title })
}

const send = (within: Locator): Promise<void> => within.getByRole('button', { name: en['assist.send'], exact: true }).click()

test('errors are shown at their fields, and a valid form is sent', { tag: '@usual' }, async ({ page, host, world }) => {
  await world.agent('Ada', { assistTools: [trip] })
  const sent = commands(page)
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')
  const trips = await form(about, 'Plan trip')
  const field = (name: string): Locator => trips.getByLabel(new RegExp(`^${name} `))
  await expect(field('steps'), 'required fields come first, and the first has the focus').toBeFocused()
  await expect(trips.locator('[aria-invalid=true]'), 'no error is shown yet').toHaveCount(0)

  await send(trips)
  for (const name of ['to', 'steps']) await expect(field(name)).toHaveAccessibleDescription(new RegExp(en['field.missing']))
  await expect(trips.locator('[aria-invalid=true]')).toHaveCount(2)
  await expect(field('steps')).toBeFocused()

  const bad: [string, string, string][] = [
    ['to', 'x', 'At least 2 characters.'],
    ['to', 'a long way off', 'At most 8 characters.'],
    ['steps', 'many', en['field.notNumber']],
    ['steps', '2.5', en['field.notInteger']],
    ['steps', '0', 'At least 1.'],
    ['steps', '10', 'At most 9.'],
    ['speed', '0.25', 'At least 0.5.'],
    ['stops', '{}', en['field.notArray']],
    ['more', '[1]', en['field.notObject']],
    ['more', '{"a":', en['field.notJson']],
    ['toString', 'x', en['field.notNumber']],
  ]
  for (const [name, value, wrong] of bad) {
    await field(name).fill(value)
    await send(trips)
    await expect(field(name), `${name} of ${value}`).toHaveAccessibleDescription(new RegExp(`${wrong.replaceAll('.', '\\.')}$`))
    // The field may be scrolled into view, and the button with it.
    await expect(trips.locator('[aria-invalid=true]').first(), 'the first field with an error has the focus').toBeFocused()
  }
  expect(await violations(page), 'a form with errors').toEqual([])
  expect(sent, 'no invalid form is sent').toEqual([])

  const right = { to: 'the mill', steps: '7', speed: '1.5', stops: '["bridge"]', more: '{"way":{"back":true}}', constructor: 'Ada', toString: '' }
  for (const [name, value] of Object.entries(right)) await field(name).fill(value)
  await field('by').selectOption({ label: '3' })
  await send(trips)
  await expect(trips).toBeHidden()
  const args = { to: 'the mill', steps: 7, speed: 1.5, by: 3, stops: ['bridge'], more: { way: { back: true } }, constructor: 'Ada' }
  await expect.poll(() => sent).toEqual([expect.objectContaining({ kind: 'assist', toolName: 'assist_plan_trip', fromPlayerId: '__human__', args })])
  await expect(about.getByRole('article').getByText(en['chat.forwarded'])).toBeVisible()
})

test('a form keeps the order of its fields, with controls for dates and lists', async ({ page, host, world }) => {
  const parameters = { type: 'object', required: ['day', 'note'], properties: {
    where: { type: 'string', 'x-order': 0 },
    day: { type: 'string', format: 'date', 'x-order': 1 },
    at: { type: 'string', format: 'date-time', 'x-order': 2 },
    extras: { type: 'array', items: { enum: ['lunch', 'boat', 'guide'] }, 'x-order': 3 },
    by: { oneOf: [{ const: 'f', title: 'On foot' }, { const: 'b', title: 'By boat' }], 'x-order': 4 },
    note: { anyOf: [{ type: 'string', maxLength: 8 }, { type: 'null' }], description: 'What else', 'x-order': 5 },
    mood: { $ref: '#/$defs/Mood', 'x-order': 6 },
  }, $defs: { Mood: { type: 'string', enum: ['merry', 'quiet'] } } }
  await world.agent('Ada', { assistTools: [{ name: 'assist_tour', description: 'Shows the town', parameters }] })
  const sent = commands(page)
  await open(page, host)
  await resident(page, 'Ada').click()
  const tour = await form(panel(page, 'Ada'), 'Tour')
  await expect(tour.locator('.field > label bdi, .label bdi')).toHaveText(['where', 'day', 'at', 'extras', 'by', 'note', 'mood'])
  await expect(tour.getByRole('textbox', { name: /^note .*optional/i })).toHaveAccessibleDescription('What else')
  expect(await violations(page), 'a form with every control').toEqual([])
  await send(tour)
  await expect(tour.getByLabel(/^day /)).toHaveAccessibleDescription(en['field.missing'])
  await tour.getByLabel(/^day /).fill('2026-05-06')
  await tour.getByLabel(/^at /).fill('2026-05-06T07:08:09')
  const extras = tour.getByRole('group', { name: /^extras / })
  for (const name of ['guide', 'boat', 'lunch']) await extras.getByRole('checkbox', { name }).check()
  await extras.getByRole('checkbox', { name: 'boat' }).uncheck()
  await tour.getByLabel(/^by /).selectOption({ label: 'By boat' })
  await tour.getByLabel(/^mood /).selectOption({ label: 'quiet' })
  await send(tour)
  const at = await page.evaluate(() => new Date('2026-05-06T07:08:09').toISOString())
  await expect.poll(() => sent).toMatchObject([{ toolName: 'assist_tour', args: { day: '2026-05-06', at, extras: ['lunch', 'guide'], by: 'b', note: null, mood: 'quiet' } }])
})

test('a tool without parameters has no field, and one without a form accepts JSON', async ({ page, host, world }) => {
  await world.agent('Ada', { assistTools: [ping, raw] })
  const sent = commands(page)
  await open(page, host)
  await resident(page, 'Ada').click()
  const about = panel(page, 'Ada')

  const pings = await form(about, 'Ping')
  await expect(pings.getByText(en['assist.noParameters'])).toBeVisible()
  await send(pings)
  await expect(about.getByRole('article')).toHaveCount(1)

  const raws = await form(about, 'Raw')
  const json = raws.getByLabel(en['assist.wholeJson'])
  for (const [value, wrong] of [['[1]', en['field.notObject']], ['{', en['field.notJson']]] as const) {
    await json.fill(value)
    await send(raws)
    await expect(json).toHaveAccessibleDescription(new RegExp(`${wrong.replaceAll('.', '\\.')}$`))
  }
  await json.fill('{"whatever": [1, 2]}')
  await send(raws)
  await expect(about.getByRole('article')).toHaveCount(2)
  await expect.poll(() => sent).toMatchObject([{ toolName: 'assist_ping', args: {} }, { toolName: 'assist_raw', args: { whatever: [1, 2] } }])

  const again = await form(about, 'Ping')
  await again.getByRole('button', { name: en['assist.cancel'] }).click()
  await expect(again).toBeHidden()
  expect(sent).toHaveLength(2)
})

test('a time of day is completed, and formats are checked before anything is sent', async ({ page, host, world }) => {
  const parameters = { type: 'object', required: ['people', 'at', 'mail'], properties: {
    people: { type: 'integer', title: 'How many', minimum: 1, 'x-order': 0 }, at: { type: 'string', format: 'time', title: 'When', 'x-order': 1 },
    mail: { type: 'string', format: 'email', 'x-order': 2 },
  } }
  await world.agent('Ada', { assistTools: [{ name: 'assist_table', description: 'Books a table', parameters }] })
  const sent = commands(page)
  await open(page, host)
  await resident(page, 'Ada').click()
  const table = await form(panel(page, 'Ada'), 'Table')
  await table.getByLabel(/^How many /).fill('4')
  await table.getByLabel(/^When /).fill('19:30')
  await table.getByLabel(/^mail /).fill('ada')
  await send(table)
  await expect(table.getByLabel(/^mail /)).toHaveAccessibleDescription(/name@example\.com/)
  expect(sent).toEqual([])
  expect(await violations(page)).toEqual([])
  await table.getByLabel(/^mail /).fill('ada@example.com')
  await send(table)
  await expect.poll(() => sent).toMatchObject([{ toolName: 'assist_table', args: { people: 4, mail: 'ada@example.com', at: expect.stringMatching(/^19:30:00[+-]\d\d:\d\d$/) as unknown as string } }])
})
