/**
 * Runs a program until the guardian's standard input is closed, and then ends it:
 * the system also closes that pipe when the process at its other end is killed,
 * so neither a host nor its temporary folder outlives the program that started it.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** How long the program may take to shut down. */
const graceMs = 10_000

const [temporary = '', binary = '', ...args] = process.argv.slice(2)
process.on('exit', () => { rmSync(temporary, { recursive: true, force: true }) })
const child = spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'] })

function end(): void {
  child.kill('SIGTERM')
  setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
}

child.on('error', (error) => {
  process.stderr.write(`cannot run ${binary} (${error.message})\n`)
  process.exitCode = 127
  process.stdin.destroy()
})
child.on('exit', (code) => {
  process.exitCode = code ?? 1
  process.stdin.destroy()
})
process.stdin.on('end', end).on('error', end).resume()
// Ctrl-C in a terminal reaches the whole process group; only the parent ends the guardian.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', end)
