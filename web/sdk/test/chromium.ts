/** The Chromium that the machine has: none is downloaded. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { LaunchOptions } from '@playwright/test'

/** Chromium as people have it. */
const whole = ['chromium', 'chromium-browser', 'google-chrome']
/** The same engine without the program around it, which takes half the processor time. */
const engine = 'chromium-headless-shell'

function find(names: readonly string[]): string {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
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

/**
 * How it is started.
 *
 * @param from `engine` where the machine has it alone, else all of Chromium; `whole` for what is only there: notifications, and figures
 */
export function launchOptions(from: 'engine' | 'whole'): LaunchOptions {
  return {
    executablePath: find(from === 'engine' ? [engine, ...whole] : whole),
    args: [
      ...sandbox,
      // Names that tests give their hosts; nothing is asked of a name server.
      '--host-resolver-rules=MAP *.playctl.test 127.0.0.1',
      // Only what the page asks for goes over the network.
      '--disable-background-networking',
      '--disable-component-update',
    ],
  }
}
