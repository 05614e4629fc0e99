/**
 * Runs a program for as long as its standard input is open, and ends it then:
 * the system closes that pipe also when the process at its other end is killed,
 * so that neither a host nor its temporary folder outlives the program that started it.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** How long the program may take to end in order. */
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
// A Ctrl-C in a terminal reaches the whole group; the end comes from the parent.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', end)
