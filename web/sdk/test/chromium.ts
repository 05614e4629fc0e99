/** Uses the machine's Chromium; none is downloaded. */

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { LaunchOptions } from '@playwright/test'

/** The names of the complete browser. */
const whole = ['chromium', 'chromium-browser', 'google-chrome']
/** The name of the engine without the rest of the browser, which uses half the processor time. */
const engine = 'chromium-headless-shell'

function find(names: readonly string[]): string {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK)
        return join(folder, name)
      } catch {
        // The program is not in this folder under this name.
      }
    }
  }
  throw new Error('no Chromium on PATH: install one, on Debian with "apt-get install chromium", and run the tests again')
}

/** Chromium does not start with its sandbox as the user root. */
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []

/**
 * Returns the options with which Chromium is started.
 *
 * @param from `engine` for the engine alone if the machine has it, otherwise the complete browser; `whole` for features that only the complete browser has: notifications, and figures
 */
export function launchOptions(from: 'engine' | 'whole'): LaunchOptions {
  return {
    executablePath: find(from === 'engine' ? [engine, ...whole] : whole),
    args: [
      ...sandbox,
      // The names that tests give their hosts; no name server is queried.
      '--host-resolver-rules=MAP *.playctl.test 127.0.0.1',
      // Only requests of the page use the network.
      '--disable-background-networking',
      '--disable-component-update',
    ],
  }
}
