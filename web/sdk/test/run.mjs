// Runs the compiled tests against the program that PLAYCTL_BINARY names (or
// PLAYCTL, as test.sh sets it), otherwise against one that it first builds with Go.
// With --full it runs all of them, otherwise all but the slow ones.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

const full = process.argv.includes('--full')
const sdk = path.resolve(import.meta.dirname, '..')
const env = { ...process.env }
env.PLAYCTL_BINARY ??= env.PLAYCTL

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

function scratch(name) {
  const folder = mkdtempSync(path.join(tmpdir(), `playctl-sdk-${name}-`))
  process.on('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  return folder
}

/**
 * Packs the package for the tests that install it, and returns the folder. This compiles the package, so it is done once,
 * as by its script "prepack" but without type checking, which is half of the work and part of "npm run check".
 */
function pack() {
  const folder = scratch('packed')
  run(process.execPath, [path.join(sdk, '../node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck'], sdk)
  const reported = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', folder], { cwd: sdk, encoding: 'utf8' })
  const [packed] = JSON.parse(reported.replace(/^[^[]*/u, ''))
  renameSync(path.join(folder, packed.filename), path.join(folder, 'package.tgz'))
  writeFileSync(path.join(folder, 'files.json'), JSON.stringify(packed.files))
  return folder
}

if (!env.PLAYCTL_BINARY) {
  env.PLAYCTL_BINARY = path.join(sdk, 'build', 'playctl')
  run('go', ['build', '-o', env.PLAYCTL_BINARY, './cmd/playctl'], path.resolve(sdk, '../..'))
}
if (full) env.PLAYCTL_PACKED = pack()
env.PLAYCTL_PREPARED = scratch('prepared')
process.env.PLAYCTL_BINARY = env.PLAYCTL_BINARY
const { Host } = await import('../build/test/host.js')
await Host.prepare(env.PLAYCTL_PREPARED)

/**
 * Writes programs that run the tests, several files in each: starting a process and loading the common imports takes longer
 * than most files. Each file is a suite; the next one starts after its end.
 */
function programs(files, count, timeout) {
  const folder = path.join(sdk, 'build/test/together')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return Array.from({ length: count }, (_, n) => {
    const mine = files.filter((_file, i) => i % count === n)
    const suites = mine.map((file) => `await describe('${file}', { timeout: ${timeout} }, async () => { await import('../${file}') })\n`)
    const program = path.join(folder, `${n + 1}.test.js`)
    writeFileSync(program, `import { describe } from 'node:test'\n${suites.join('')}`)
    return program
  })
}

const slow = ['browser.test.js', 'older_service.test.js', 'olderhosts.test.js', 'pack.test.js', 'restarts.test.js']
const tests = readdirSync(path.join(sdk, 'build/test')).filter((name) => name.endsWith('.test.js') && (full || !slow.includes(name))).sort()
// A library in this test needs globals of a browser, which would also be visible to other tests.
const alone = tests.filter((name) => name === 'restarts.test.js')
const timeout = 900_000
const together = programs(tests.filter((name) => !alone.includes(name)), 3, timeout)
// Tests mostly wait for a host, so more run at the same time than there are processors.
run(process.execPath, ['--test', `--test-timeout=${timeout * 3}`, `--test-concurrency=${together.length + alone.length}`, ...alone.map((name) => path.join('build/test', name)), ...together], sdk)
