import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient, createNodeCredentialMaterial } from '../src/index.js'
import type { NodeCredentialMaterial, WorldClient } from '../src/index.js'
import { type Account, fresh, prepared, preparedAccounts, preparedWorld, rootKey } from './accounts.js'
import { playctl } from './repository.js'

/** The administrator's token of every host here. */
export const adminToken = 'the-administrator-of-a-test'

let ports = 0

/** Listens on a port; undefined if it is in use. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  return once(server, 'listening').then(() => server, () => undefined)
}

/**
 * The first of a hundred ports that only this process uses: no other test process uses any of them while this one
 * listens on the first, even if its process id leads to the same hundred.
 */
const claimed = (async (): Promise<number> => {
  for (let hundred = process.pid; ; hundred++) {
    const first = 10_000 + (hundred % 220) * 100
    const claim = await listening(first)
    if (claim === undefined) continue
    claim.unref()
    return first
  }
})()

/**
 * Returns a port that only this process uses. It is below the ports that systems assign,
 * so that no other program gets it while its host is stopped.
 */
async function ownPort(): Promise<number> {
  const first = await claimed
  for (;;) {
    const port = first + 1 + (ports++ % 99)
    const probe = await listening(port)
    if (probe === undefined) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** A real host in a folder of its own. */
export class Host {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'playctl-sdk-host-'))
  url = ''
  rootKey = ''
  #child: ChildProcess | undefined
  #port = 0
  #accounts: Account[] = []
  readonly #fresh = [...fresh]

  private constructor(readonly flags: readonly string[]) {
    writeFileSync(path.join(this.folder, 'admin'), adminToken, { mode: 0o600 })
    writeFileSync(path.join(this.folder, 'root'), rootKey, { mode: 0o600 })
  }

  /** Starts a host with a copy of the prepared world, which has main nodes: deriving node ids takes longer than a start. */
  static async start(...flags: string[]): Promise<Host> {
    const host = new Host(flags)
    if (!flags.includes('--no-repository') && !flags.includes('--store')) {
      cpSync(path.join(preparedWorld(), 'world'), host.folder, { recursive: true })
      host.#accounts = preparedAccounts()
    }
    await host.start()
    return host
  }

  /** Creates the world with which other hosts start, in a folder. */
  static async prepare(folder: string): Promise<void> {
    const host = new Host([])
    await host.start()
    const keys: string[] = []
    for (const node of prepared) keys.push((await createClient({ baseUrl: host.url }).createMainNode(node)).apiKey ?? '')
    await host.kill('SIGTERM')
    cpSync(host.folder, path.join(folder, 'world'), { recursive: true })
    writeFileSync(path.join(folder, 'keys.json'), JSON.stringify(keys), { mode: 0o600 })
    await host.end()
  }

  /** Starts the host, on the same port as before. */
  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await ownPort()
    const child = spawn(playctl(), [
      'serve', '--listen', `127.0.0.1:${this.#port}`, '--output', 'json',
      ...(this.flags.includes('--store') ? [] : ['--data-dir', this.folder]),
      ...(this.flags.includes('--root-file') ? [] : ['--root-file', path.join(this.folder, 'root')]),
      '--admin-token-file', path.join(this.folder, 'admin'), '--rate-nodes', '-1', ...this.flags,
    ], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: this.folder } })
    this.#child = child
    let log = ''
    child.stderr.on('data', (text: Buffer) => { log += text.toString() })
    let banner = ''
    for await (const text of child.stdout) {
      banner += String(text)
      if (banner.trimEnd().endsWith('}')) break
    }
    if (banner === '') throw new Error(`the host did not start: ${log}`)
    const { url, rootFile } = JSON.parse(banner) as { url: string; rootFile: string }
    this.url = url
    this.rootKey = readFileSync(rootFile, 'utf8').trim()
  }

  /** Ends the host immediately, as in a crash. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  /** Deletes the store of a host that was killed. */
  forget(): void {
    for (const file of readdirSync(this.folder)) {
      if (file.endsWith('.playstore')) rmSync(path.join(this.folder, file))
    }
  }

  /** Ends the host and removes its folder. */
  async end(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Returns a client with the administrator's token. */
  admin(): WorldClient {
    return createClient({ baseUrl: this.url, credentials: { adminToken } })
  }

  /** Returns credentials of a node that this host does not know; they are derived only if all known answers are used. */
  credentials(): NodeCredentialMaterial {
    return this.#fresh.shift() ?? createNodeCredentialMaterial({ rootKey: this.rootKey })
  }

  /** Returns a main node with its API key; it is created only if all prepared ones are used. */
  async account(): Promise<Account> {
    const ready = this.#accounts.shift()
    if (ready !== undefined) return ready
    const node = this.credentials()
    const { apiKey } = await createClient({ baseUrl: this.url }).createMainNode(node)
    return { node, apiKey: apiKey ?? '' }
  }
}

/** The values reported so far, for tests that wait for a value. */
export class Reports<T> {
  readonly all: T[] = []
  #waiting: (() => void)[] = []

  readonly add = (value: T): void => {
    this.all.push(value)
    const waiting = this.#waiting
    this.#waiting = []
    for (const look of waiting) look()
  }

  /** Waits for a reported value, from an index on, for which a condition holds. */
  async until(condition: (value: T) => boolean, from = 0): Promise<T> {
    for (let seen = from; ; ) {
      for (; seen < this.all.length; seen++) {
        const value = this.all[seen] as T
        if (condition(value)) return value
      }
      await new Promise<void>((resolve) => { this.#waiting.push(resolve) })
    }
  }
}
