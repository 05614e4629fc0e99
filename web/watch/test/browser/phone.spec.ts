/** The page on a phone: the newest line below the map, and no touch target that is too small. */

import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { settled } from './fixtures/map.js'
import { expect, test } from './fixtures/test.js'
import { open, resident, show } from './fixtures/town.js'

test.use({ repository: false, hasTouch: true, contextOptions: { reducedMotion: 'reduce' } })

for (const [width, height] of [[360, 640], [390, 844], [430, 932]] as const) {
  test.describe(`of ${width} by ${height}`, () => {
    test.use({ viewport: { width, height } })

    test('the newest line opens completely, and all controls are large enough to touch', async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      const grace = await world.agent('Grace')
      await open(page, host)
      await world.say(ada, 'The third chapter of the blue one.')
      const ticker = page.locator('.ticker')
      await expect(ticker).toHaveText('Ada The third chapter of the blue one.')
      await world.say(grace, 'And the second one, which draws every step of it, so that even I see why.')
      await expect(ticker).toContainText('Grace And the second one')
      await expect.poll(() => page.evaluate(() => [...document.querySelectorAll('button:not(.link), button.seal, select, input')].flatMap((target) => {
        const { width: wide, height: high } = target.getBoundingClientRect()
        return wide === 0 || target.closest('.skip') !== null || (wide >= 44 && high >= 44) ? [] : [`${target.className} ${target.textContent} ${wide} x ${high}`]
      }))).toEqual([])
      await ticker.tap()
      await expect(page.getByRole('dialog', { name: en['read.title'] })).toContainText('so that even I see why.')
      await page.getByRole('dialog').getByRole('button', { name: en['read.close'] }).tap()
      expect(await violations(page)).toEqual([])
      for (const tab of ['places', 'happenings', 'residents'] as const) await show(page, tab)
      await resident(page, 'Ada').tap()
      await expect(page.getByRole('complementary', { name: 'Ada' })).toBeVisible()
      await expect(ticker, 'the panel replaces it').toBeHidden()
      const share = page.getByRole('button', { name: en['page.share'], exact: true })
      await expect(share, 'an agent can be shared').toHaveCount(1)
      const box = await share.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
      await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }) })
      await share.tap()
      await expect(page.getByRole('textbox', { name: en['page.shareLink'] })).toHaveValue(new RegExp(`agent=${ada}`))
      expect(await violations(page), 'with the link').toEqual([])
    })

    for (const others of [5, 24]) test(`no occupant of ${others + 1} is under an overlay, with and without the panels`, async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      for (let number = 1; number <= others; number++) await world.agent(`Agent ${number}`)
      await open(page, host)
      for (const turn of ['page.hide', 'page.show'] as const) {
        await world.say(ada, 'The third chapter of the blue one.')
        await expect(page.locator('.ticker')).toBeVisible()
        const { top, bottom } = await settled(page)
        const above = await page.locator('.status').boundingBox()
        const below = await page.locator('.zoom').boundingBox()
        expect(top).toBeGreaterThanOrEqual((above?.y ?? Infinity) + (above?.height ?? 0))
        expect(bottom).toBeLessThanOrEqual(below?.y ?? 0)
        await page.getByRole('button', { name: en[turn] }).tap()
      }
      await page.getByRole('button', { name: en['past.show'], exact: true }).tap()
      await expect(page.getByRole('slider', { name: en['past.moment'] })).toBeVisible()
      const { top, bottom } = await settled(page)
      const above = await page.locator('.status').boundingBox()
      expect(top).toBeGreaterThanOrEqual((above?.y ?? Infinity) + (above?.height ?? 0))
      expect(bottom).toBeLessThanOrEqual((await page.locator('.timebar').boundingBox())?.y ?? 0)
    })

    test('the proof, the notifications and the wall are complete', async ({ page, host, world }) => {
      const ada = await world.agent('Ada')
      await open(page, host)
      for (const [name, sheet] of [['status.verified', 'proof.title'], ['notify.title', 'notify.heading']] as const) {
        await page.getByRole('button', { name: en[name] }).tap()
        const { x, y, width: wide, height: high } = await page.getByRole('group', { name: en[sheet] }).boundingBox() ?? { x: -1, y: -1, width: 0, height: 0 }
        expect.soft([x >= 0, y >= 0, x + wide <= width, y + high <= height], `${name}: ${x}, ${y}, ${wide} × ${high}`).toEqual([true, true, true, true])
        await page.keyboard.press('Escape')
      }
      await page.goto(`${host.url}/play/watch?view=wall`)
      await expect(page.locator('.truth')).toContainText(en['status.verified'])
      await world.say(ada, 'I have found the page that you meant. It is in the third chapter of the blue book.')
      const line = page.locator('.latest p > span')
      await expect(line).toContainText('blue book.')
      expect(await line.evaluate((element) => element.scrollHeight - element.clientHeight)).toBeLessThanOrEqual(1)
    })
  })
}
