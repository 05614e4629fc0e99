import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root, from the compiled tests in web/sdk/build/test. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..')

/** Reads a file with known answers, which the Go tests read as well. */
export function vectors(name: string): unknown {
  return JSON.parse(readFileSync(path.join(repository, name), 'utf8'))
}

let built: string | undefined

/** The playctl program: that of PLAYCTL_BINARY, or of PLAYCTL as test.sh sets it, else one built from the checkout. */
export function playctl(): string {
  const given = process.env.PLAYCTL_BINARY ?? process.env.PLAYCTL
  if (given) return given
  if (built === undefined) {
    built = path.join(tmpdir(), `playctl-sdk-test-${process.pid}`)
    if (!existsSync(built)) execFileSync('go', ['build', '-o', built, './cmd/playctl'], { cwd: repository, stdio: 'inherit' })
  }
  return built
}
