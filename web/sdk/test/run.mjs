// Runs the compiled tests against the program that PLAYCTL_BINARY names (or
// PLAYCTL, as test.sh sets it), else against one that it builds with Go first.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

function scratch(name) {
  const folder = mkdtempSync(path.join(tmpdir(), `playctl-sdk-${name}-`))
  process.on('exit', () => { rmSync(folder, { recursive: true, force: true }) })
  return folder
}

/**
 * Packs the package for the tests that install it, and gives the folder. It is compiled for that, so it is done once, as
 * its script "prepack" does but without a look at types, which "npm run check" has: that is half of the work.
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
env.PLAYCTL_PACKED = pack()
env.PLAYCTL_PREPARED = scratch('prepared')
process.env.PLAYCTL_BINARY = env.PLAYCTL_BINARY
const { Host } = await import('../build/test/host.js')
await Host.prepare(env.PLAYCTL_PREPARED)

/**
 * Writes programs that run the tests, several files in each: a process and what all of them import cost more than most
 * files do themselves. A file is a suite, after whose end the next one starts.
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

const tests = readdirSync(path.join(sdk, 'build/test')).filter((name) => name.endsWith('.test.js')).sort()
// A library in it wants to be on a page, and what it is given for one would be there for others.
const alone = ['restarts.test.js']
const timeout = env.PLAYCTL_TEST_LONG === undefined ? 300_000 : 900_000
const together = programs(tests.filter((name) => !alone.includes(name)), 3, timeout)
// Most of a test is waiting for a host: more run at once than there are processors.
run(process.execPath, ['--test', `--test-timeout=${timeout * 3}`, `--test-concurrency=${together.length + alone.length}`, ...alone.map((name) => path.join('build/test', name)), ...together], sdk)
