/** The content of the page before its scripts run, and without scripts. */

import { de } from '../../src/text/de.js'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { expect, test } from './fixtures/test.js'
import { verified } from './fixtures/town.js'

/** Returns a promise that resolves on release. */
function createGate(): { open: Promise<unknown>, release: () => void } {
  const latch = new EventTarget()
  const open = new Promise((resolve) => { latch.addEventListener('open', resolve) })
  return { open, release: () => { latch.dispatchEvent(new Event('open')) } }
}

test('the name is shown before the scripts load, and keeps its position', async ({ page, host, world }) => {
  await world.agent('Ada')
  const scripts = createGate()
  await page.route('**/assets/*/*.js', async (route) => {
    await scripts.open
    await route.continue()
  })
  const session = createGate()
  await page.route('**/play/watch/session', async (route) => {
    await session.open
    await route.continue()
  })
  await page.goto(`${host.url}/play/watch`, { waitUntil: 'commit' })
  const name = page.getByText(en['page.program'], { exact: true })
  await expect(name).toBeVisible()
  await expect(name, 'the styles are loaded').toHaveCSS('font-weight', '650')
  const before = await name.boundingBox()
  scripts.release()
  await expect(page.getByText(en['status.connecting'])).toBeVisible()
  expect(await name.boundingBox()).toEqual(before)
  expect(await violations(page)).toEqual([])
  session.release()
  await verified(page)
  await expect(name).toHaveCount(0)
})

test('without scripts the page states its requirements', async ({ browser, host }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${host.url}/play/watch`)
  for (const { lang, words } of [{ lang: 'en', words: en }, { lang: 'de', words: de }]) {
    const sentence = page.locator(`noscript [lang=${lang}]`)
    await expect(sentence).toHaveText(words['page.noScript'])
    await expect(sentence).toBeInViewport()
  }
  await context.close()
})
