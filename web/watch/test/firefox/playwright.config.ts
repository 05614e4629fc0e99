import { defineConfig } from '@playwright/test'

/** Playwright runs the tests here, and has no part in the browser: that is Debian's Firefox, by the standard WebDriver BiDi. */
export default defineConfig({
  globalSetup: '../browser/build.ts',
  outputDir: '../../build/firefox',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  workers: 1,
})
