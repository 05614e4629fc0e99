import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from './fixtures/prepared.js'

/**
 * Builds the program under test, including the page, unless PLAYCTL names one, and prepares the world from which tests start.
 *
 * @returns a function that removes both
 */
export default async function build(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'playctl-watch-'))
  if (!process.env.PLAYCTL) {
    const binary = join(folder, 'playctl')
    execFileSync('go', ['build', '-o', binary, './cmd/playctl'], {
      cwd: new URL('../../../..', import.meta.url),
      stdio: 'inherit',
    })
    process.env.PLAYCTL = binary
  }
  await prepare(join(folder, 'prepared'))
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
