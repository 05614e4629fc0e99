import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Builds the program that the tests run, page and all, unless PLAYCTL names one.
 *
 * @returns what removes it again
 */
export default function build(): () => void {
  if (process.env.PLAYCTL) return () => undefined
  const folder = mkdtempSync(join(tmpdir(), 'playctl-watch-'))
  const binary = join(folder, 'playctl')
  execFileSync('go', ['build', '-o', binary, './cmd/playctl'], {
    cwd: new URL('../../../..', import.meta.url),
    stdio: 'inherit',
  })
  process.env.PLAYCTL = binary
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
