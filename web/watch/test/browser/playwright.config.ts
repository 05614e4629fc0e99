import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { defineConfig } from '@playwright/test'

/** The Chromium that the machine has: none is downloaded. */
function chromium(): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      try {
        accessSync(join(folder, name), constants.X_OK)
        return join(folder, name)
      } catch {
        // It is not in this folder under this name.
      }
    }
  }
  throw new Error('no Chromium on PATH: install one, on Debian with "apt-get install chromium", and run the tests again')
}

/** Chromium has no sandbox of its own for the user root, and says so. */
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

export default defineConfig({
  globalSetup: './build.ts',
  outputDir: '../../build/browser',
  // Tests wait for what they expect, 15 s for each thing; this only ends one that hangs. Starting hosts and agents takes long on a busy machine.
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  fullyParallel: true,
  workers: 2,
  use: {
    viewport: { width: 1280, height: 800 },
    trace: 'off',
    launchOptions: {
      executablePath: chromium(),
      args: [
        ...sandbox,
        // Names that tests give their hosts; nothing is asked of a name server.
        '--host-resolver-rules=MAP *.playctl.test 127.0.0.1',
        // Only what the page asks for goes over the network.
        '--disable-background-networking',
        '--disable-component-update',
      ],
    },
  },
})
