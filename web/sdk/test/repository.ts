import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root, from the compiled tests in web/sdk/build/test. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..')

/** Reads a file with known answers, which the Go tests read as well. */
export function vectors(name: string): unknown {
  return JSON.parse(readFileSync(path.join(repository, name), 'utf8'))
}

/** Returns the path of the playctl program to test against; test/run.mjs finds or builds it. */
export function playctl(): string {
  const binary = process.env.PLAYCTL_BINARY
  if (!binary) throw new Error('PLAYCTL_BINARY names no playctl program: run the tests with "npm test -w sdk"')
  return binary
}
