/** Taking a picture of the page. */

import type { Page } from '@playwright/test'
import { expect } from '../browser/fixtures/test.js'

/**
 * Takes a picture into a file.
 * @param still Waits until the picture stays the same: a town that is shown for the first time is drawn in several
 * frames, which take long on a busy machine.
 */
export async function take(page: Page, path: string, still = true): Promise<void> {
  if (still) {
    let before = ''
    await expect.poll(async () => {
      const now = (await page.screenshot({ scale: 'css' })).toString('base64')
      const same = now === before
      before = now
      return same
    }, { intervals: [200] }).toBe(true)
  }
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await page.screenshot({ path, scale: 'css' })
}
