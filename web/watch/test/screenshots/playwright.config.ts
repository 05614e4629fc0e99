import { defineConfig } from '@playwright/test'
import base from '../browser/playwright.config.js'

/** The same browser and the same program; one picture after the other, so that each has the machine to itself. */
export default defineConfig(base, { globalSetup: '../browser/build.ts', workers: 1, expect: { timeout: 60_000 }, outputDir: '../../build/screenshots' })
