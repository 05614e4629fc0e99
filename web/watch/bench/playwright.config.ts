import { defineConfig } from '@playwright/test'
import base from '../test/browser/playwright.config.js'

/** The same browser and the same program; one measurement after the other. */
export default defineConfig(base, {
  testMatch: '*.bench.ts',
  globalSetup: '../test/browser/build.ts',
  workers: 1,
  timeout: 45 * 60_000,
  outputDir: '../build/bench',
})
