/** What was said is read whole, from the map and from the list; and a world begins with three lines. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { en } from '../../src/text/en.js'
import { violations } from './fixtures/axe.js'
import { map } from './fixtures/map.js'
import { printed, start } from './fixtures/program.js'
import { expect, test } from './fixtures/test.js'
import { feed, open, panel, resident, show } from './fixtures/town.js'

const long = `The *end* ${'of a long story. '.repeat(60)}Really.`

test.describe('what was said', () => {
  test.use({ repository: false })

  test('opens from its bubble and from the list, and Escape closes it alone', async ({ page, host, world }) => {
    const ada = await world.agent('Ada')
    await open(page, host)
    await resident(page, 'Ada').click()
    await show(page, 'happenings')
    await world.say(ada, long)
    const dialog = page.getByRole('dialog', { name: en['read.title'] })
    await feed(page).getByRole('button', { name: /^The \*end\*/ }).click()
    await expect(dialog.locator('em')).toHaveText('end')
    await expect(dialog).toContainText('Really.')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(panel(page, 'Ada')).toBeVisible()

    const at = await map(page).evaluate(async (canvas: HTMLCanvasElement) => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const { left, top } = canvas.getBoundingClientRect()
      for (let y = 0; y < canvas.clientHeight; y += 6) {
        for (let x = 0; x < canvas.clientWidth; x += 6) {
          canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: left + x, clientY: top + y }))
          if (canvas.style.cursor === 'zoom-in') return { x: x + 3, y: y + 3 }
        }
      }
      return undefined
    })
    await map(page).click({ position: at ?? { x: 0, y: 0 } })
    await expect(dialog).toContainText('Really.')
    await expect(panel(page, 'Ada'), 'a click on a bubble closes nothing').toBeVisible()
  })
})

test.describe('an empty world', () => {
  test.use({ hostFlags: ['--world-name', 'Harbor & Hill'] })

  test('has a name and three lines that put an agent into it', async ({ page, host }) => {
    await open(page, host)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Harbor & Hill')
    await expect(page).toHaveTitle('Harbor & Hill, 0 agents')
    const lines = await page.locator('.nothing code').allTextContents()
    expect(lines).toHaveLength(3)
    expect(await violations(page)).toEqual([])
    const home = mkdtempSync(join(tmpdir(), 'playctl-watch-'))
    try {
      const [first = '', second = '', third = ''] = lines.map((line) => line.replace(/^playctl /, ''))
      for (const line of [first, second]) {
        const running = start(home, line.split(' '), false)
        expect(await running.exited, running.errors).toBe(0)
      }
      const hold = start(home, third.split(' '), false)
      await printed(hold, /./)
      await expect(resident(page, 'Ada')).toBeVisible()
      hold.process.kill('SIGINT')
      await hold.exited
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })
})
