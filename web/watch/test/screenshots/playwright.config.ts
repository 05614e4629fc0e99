import { defineConfig } from '@playwright/test'
import { launchOptions } from '../../../sdk/test/chromium.js'
import base from '../browser/playwright.config.js'

/** A regular browser and the same program; one picture after the other, so that each has the machine to itself. */
export default defineConfig(base, {
  globalSetup: '../browser/build.ts',
  workers: 1,
  use: { launchOptions: launchOptions('whole') },
  expect: { timeout: 60_000 },
  outputDir: '../../build/screenshots',
})
