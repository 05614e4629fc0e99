import { defineConfig } from '@playwright/test'
import { launchOptions } from '../../sdk/test/chromium.js'
import base from '../test/browser/playwright.config.js'

/** The browser that people have, and the same program; one measurement after the other. */
export default defineConfig(base, {
  testMatch: '*.bench.ts',
  globalSetup: '../test/browser/build.ts',
  workers: 1,
  use: { launchOptions: launchOptions('whole') },
  timeout: 45 * 60_000,
  outputDir: '../build/bench',
})
