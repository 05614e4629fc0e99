import { defineConfig } from '@playwright/test'
import { launchOptions } from '../../../sdk/test/chromium.js'

export default defineConfig({
  globalSetup: './build.ts',
  outputDir: '../../build/browser',
  // Tests wait for each expected thing, up to 15 s; this limit only ends a test that hangs. Starting hosts and agents takes long on a busy machine.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  fullyParallel: true,
  workers: 2,
  use: {
    viewport: { width: 1280, height: 800 },
    trace: 'off',
    launchOptions: launchOptions('engine'),
  },
})
