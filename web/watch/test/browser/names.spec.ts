/** Names in the world: in every script, in both directions, of any length. */

import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, residents, show } from './fixtures/town.js'
import { violations } from './fixtures/axe.js'

test.use({ repository: false, contextOptions: { reducedMotion: 'reduce' } })

const rightToLeft = ['مريم العلي', 'שרה כהן']
const others = [
  '山田 太郎',
  'Zoë Ångström',
  'Đặng Thị Ỷ',
  'ก็เป็นเรื่องที่ดี',
  'བཀྲ་ཤིས',
  '👩‍👩‍👧‍👦 family',
]
/** A name that would change the direction of surrounding text in a label, and its displayed form: without invisible characters. */
const turning = { name: 'exe.\u202Egnp', shown: 'exe.gnp' }
const longest = `${'The keeper of the lighthouse at the far end of the island '.repeat(3)}and of its lamp`.slice(0, 200)

/** Reports whether an element shows all of its text: nothing is cut off, and it is within its window. */
const whole = (element: Locator): Promise<boolean> =>
  element.evaluate((shown) => {
    const { left, right } = shown.getBoundingClientRect()
    return shown.scrollHeight <= shown.clientHeight + 1 && shown.scrollWidth <= shown.clientWidth + 1 && left >= 0 && right <= innerWidth
  })

const noSidewaysScrolling = (page: Page): Promise<boolean> =>
  page.evaluate(() => [...document.querySelectorAll('.page, .register, .tabpanel, .panel, .scroll')].every((box) => box.scrollWidth <= box.clientWidth))

test('a name in any script is complete, in its own direction, and affects no other text', async ({ page, host, world }) => {
  for (const name of [...others, ...rightToLeft, turning.name]) await world.say(await world.agent(name), `I am ${name}.`)
  await open(page, host)
  for (const name of [...rightToLeft, ...others, turning.shown]) {
    const shown = resident(page, name).locator('.name')
    await expect(shown).toHaveText(name)
    expect(await whole(shown), name).toBe(true)
    await expect(shown).toHaveCSS('unicode-bidi', 'isolate')
    await expect(shown).toHaveCSS('direction', rightToLeft.includes(name) ? 'rtl' : 'ltr')
    const [words, box] = await Promise.all([resident(page, name).locator('.words').boundingBox(), shown.boundingBox()])
    expect(box?.x, `${name} is beside the picture, like every name`).toBe(words?.x)
  }
  expect(await violations(page), 'the list').toEqual([])

  for (const name of [...rightToLeft, '👩‍👩‍👧‍👦 family']) {
    await resident(page, name).click()
    const heading = panel(page, name).getByRole('heading', { level: 2 })
    await expect(heading).toHaveText(name)
    expect(await whole(heading), name).toBe(true)
    await expect(panel(page, name).getByRole('textbox', { name: `Message to ${name}` })).toBeVisible()
  }
  expect(await violations(page), 'the panel').toEqual([])

  await show(page, 'happenings')
  for (const name of rightToLeft) await expect(feed(page).getByText(`I am ${name}.`)).toBeVisible()
  expect(await violations(page), 'the feed').toEqual([])
})

for (const [where, viewport] of Object.entries({ 'on a wide screen': { width: 1280, height: 800 }, 'on a small one': { width: 320, height: 640 } })) {
  test(`the longest name can be read to its end ${where}`, async ({ page, host, world }) => {
    await page.setViewportSize(viewport)
    await world.agent(longest)
    await open(page, host)
    await residents(page).getByRole('button').click()
    const about = page.getByRole('complementary')
    const heading = about.getByRole('heading', { level: 2 })
    await expect(heading).toHaveText(longest)
    // An overlong name in the heading can be scrolled to, and is not lost.
    await heading.evaluate((shown) => { shown.scrollTop = shown.scrollHeight })
    expect(await heading.evaluate((shown) => {
      const range = document.createRange()
      range.selectNodeContents(shown)
      const end = [...range.getClientRects()].at(-1)
      return end !== undefined && end.bottom <= shown.getBoundingClientRect().bottom + 1
    }), 'the last line is in view').toBe(true)
    await expect(about.getByRole('textbox')).toBeVisible()
    expect(await noSidewaysScrolling(page)).toBe(true)
    expect(await violations(page)).toEqual([])
  })
}
