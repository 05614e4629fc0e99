import { defineConfig } from '@playwright/test'

/** Playwright only runs the tests; the browser is Debian's Firefox, controlled by the standard WebDriver BiDi. */
export default defineConfig({
  globalSetup: '../browser/build.ts',
  outputDir: '../../build/firefox',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  workers: 1,
})
