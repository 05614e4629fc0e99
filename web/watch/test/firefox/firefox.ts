/** Firefox as shipped by a distribution, and a visitor using it: elements are found by their text and accessible names. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, type ElementHandle, type KeyInput, type Page, launch } from 'puppeteer-core'
import { en } from '../../src/text/en.js'
import { expect, test as base } from '../browser/fixtures/test.js'
import type { Host } from '../browser/fixtures/host.js'

export { expect } from '@playwright/test'

/** Returns the installed Firefox: none is downloaded. */
function installed(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['firefox-esr', 'firefox']) {
      try {
        accessSync(join(folder, name), constants.X_OK)
        return join(folder, name)
      } catch {
        // It is not in this directory under this name.
      }
    }
  }
  throw new Error('no Firefox on PATH: install one, on Debian with "apt-get install firefox-esr", and run the tests again')
}

/** One window of Firefox with its own cookies. */
export class Visitor {
  readonly #errors: string[] = []

  private constructor(readonly page: Page, private readonly context: BrowserContext, private readonly host: Host) {
    page.on('pageerror', (error) => this.#errors.push(`the page threw ${String(error)}`))
    page.on('request', (request) => {
      const { protocol, port } = new URL(request.url())
      if (protocol === 'http:' && port !== String(host.port)) this.#errors.push(`a request left the host, to ${request.url()}`)
      if (protocol === 'https:') this.#errors.push(`a request left the machine, to ${request.url()}`)
    })
  }

  static async arrive(browser: Browser, host: Host): Promise<Visitor> {
    const context = await browser.createBrowserContext()
    const page = await context.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    return new Visitor(page, context, host)
  }

  /** Opens the page and waits until its copy of the world is verified. */
  async open(address = '/play/watch'): Promise<void> {
    await this.page.goto(new URL(address, this.host.url).href)
    await this.verified()
  }

  async verified(): Promise<void> {
    await this.see('.status[data-connection="live"][data-verified="verified"]:not([data-time])')
  }

  /** Waits for a visible element, which contains a text if one is given. */
  async see(selector: string, text = ''): Promise<ElementHandle> {
    let found: ElementHandle | undefined
    // Firefox gives a window in the background little time to draw.
    await this.page.bringToFront()
    await expect.poll(async () => {
      for (const element of await this.page.$$(selector)) {
        const shown = await element.evaluate((node, words) => node.checkVisibility() && node.textContent.includes(words), text).catch(() => false)
        if (shown) found = element
        if (shown) return 'seen'
      }
      return `no ${selector} with "${text}" among ${(await this.page.$$(selector)).length}`
    }).toBe('seen')
    if (found === undefined) throw new Error(`${selector} is not on the page`)
    return found
  }

  /** Waits until an element is gone or hidden. */
  async miss(selector: string, text = ''): Promise<void> {
    await expect.poll(() => this.page.$$eval(selector, (nodes, words) => nodes.filter((node) => node.checkVisibility() && node.textContent.includes(words)).length, text)).toBe(0)
  }

  async press(selector: string, text = ''): Promise<void> {
    await (await this.see(selector, text)).click()
  }

  async tap(selector: string, text = ''): Promise<void> {
    await (await this.see(selector, text)).tap()
  }

  async write(selector: string, words: string): Promise<void> {
    await (await this.see(selector)).type(words)
  }

  async keys(...keys: KeyInput[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /** Presses Tab until the focused element matches a selector. */
  async tabTo(selector: string): Promise<void> {
    for (let press = 0; press < 60; press++) {
      await this.keys('Tab')
      if (await this.page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return
    }
    throw new Error(`60 presses of Tab do not lead to ${selector}`)
  }

  async attribute(selector: string, name: string): Promise<string | null> {
    return (await this.see(selector)).evaluate((element, wanted) => element.getAttribute(wanted), name)
  }

  /** Closes the window, and reports forbidden actions of the page. */
  async leave(): Promise<void> {
    await this.context.close()
    expect(this.#errors, 'no error, and no request to another origin').toEqual([])
  }
}

interface Fixtures {
  visitor: Visitor
  /** A second person, with another window. */
  another: Visitor
}

export const test = base.extend<Fixtures, { firefox: Browser }>({
  // Playwright determines from the pattern which fixtures this one needs: none.
  // eslint-disable-next-line no-empty-pattern
  firefox: [async ({}, use) => {
    const browser = await launch({
      browser: 'firefox', executablePath: installed(), headless: true,
      // Only requests of the page go over the network.
      extraPrefsFirefox: { 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false, 'app.normandy.enabled': false, 'toolkit.telemetry.enabled': false },
    })
    await use(browser)
    await browser.close()
  }, { scope: 'worker' }],

  visitor: async ({ firefox, host }, use) => {
    const visitor = await Visitor.arrive(firefox, host)
    await use(visitor)
    await visitor.leave()
  },

  another: async ({ firefox, host }, use) => {
    const visitor = await Visitor.arrive(firefox, host)
    await use(visitor)
    await visitor.leave()
  },
})

/** The row of an occupant in the list. */
export const row = (name: string): string => `.row ::-p-text(${name})`
/** The panel of an occupant. */
export const panel = (name: string): string => `aside[aria-label="${name}"]`
/** An element with an accessible name of the page. */
export const named = (element: string, key: keyof typeof en): string => `${element}[aria-label="${en[key] as string}"]`
/** A text of the page, without values. */
export const word = (key: keyof typeof en): string => en[key] as string
