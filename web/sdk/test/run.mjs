// Runs the compiled tests against the program that PLAYCTL_BINARY names (or
// PLAYCTL, as test.sh sets it), else against one that it builds with Go first.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

const sdk = path.resolve(import.meta.dirname, '..')
const env = { ...process.env }
env.PLAYCTL_BINARY ??= env.PLAYCTL

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** Packs the package for the tests that install it, and gives the folder. It is compiled for that, so it is done once. */
function pack() {
  const folder = mkdtempSync(path.join(tmpdir(), 'playctl-sdk-packed-'))
  process.on('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  const reported = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: sdk, encoding: 'utf8' })
  const [packed] = JSON.parse(reported.replace(/^[^[]*/u, ''))
  renameSync(path.join(folder, packed.filename), path.join(folder, 'package.tgz'))
  writeFileSync(path.join(folder, 'files.json'), JSON.stringify(packed.files))
  return folder
}

if (!env.PLAYCTL_BINARY) {
  env.PLAYCTL_BINARY = path.join(sdk, 'build', 'playctl')
  run('go', ['build', '-o', env.PLAYCTL_BINARY, './cmd/playctl'], path.resolve(sdk, '../..'))
}
env.PLAYCTL_PACKED = pack()
const tests = readdirSync(path.join(sdk, 'build/test')).filter((name) => name.endsWith('.test.js'))
// Most of a test is waiting for a host: more run at once than there are processors.
const timeout = env.PLAYCTL_TEST_LONG === undefined ? 300_000 : 900_000
run(process.execPath, ['--test', `--test-timeout=${timeout}`, '--test-concurrency=4', ...tests.map((name) => path.join('build/test', name))], sdk)
