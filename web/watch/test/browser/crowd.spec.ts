/** A full map and a long day. */

import { en } from '../../src/text/en.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, reached, residents, show } from './fixtures/town.js'

test.use({ repository: false })

test('a hundred residents are all there', async ({ page, host, world }) => {
  for (let number = 1; number <= 70; number++) await world.agent(`Agent ${number}`)
  for (let number = 1; number <= 30; number++) await world.mcp(`placement ${number}`)
  await open(page, host)
  await reached(page, (await world.head()).rev)
  await expect(residents(page).getByRole('button')).toHaveCount(100)
})

test('ten thousand happenings do not slow the page, and the feed keeps few elements', async ({ page, host, world }) => {
  test.slow()
  const id = await world.agent('Ada')
  await open(page, host)
  await show(page, 'happenings')
  for (let hundred = 0; hundred < 100; hundred++) {
    await Promise.all(Array.from({ length: 100 }, (_, number) => world.say(id, `line ${hundred * 100 + number}`)))
  }
  await world.say(id, 'the very last line')
  await expect(feed(page).getByText('the very last line')).toBeVisible()
  await expect(page.getByText(en['status.verified'], { exact: true })).toBeVisible()
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000)
})
