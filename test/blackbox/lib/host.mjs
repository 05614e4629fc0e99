// Starts the host as a user does, and ends it: politely, or as a power cut does.

import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after } from 'node:test'
import { once } from 'node:events'
import { Client } from './client.mjs'

const binary = process.env.PLAYCTL
if (!binary) throw new Error('PLAYCTL is not set: start the tests with ./run.sh')

const vectors = JSON.parse(readFileSync(new URL('../../../internal/creds/testdata/credentials.json', import.meta.url)))

// The root key of the known answers: their phrases are accounts without a
// derivation on this side.
export const rootKey = vectors.rootKeys[0]
export const accounts = vectors.phrases.map(({ passwHash, nodeIds }) => ({ nodeId: nodeIds[0], passwHash }))

export const adminToken = 'administrator-of-the-black-box-test'

// With a Redis server every world is kept there and served by two hosts, and calls and
// streams go to them in turn, as a proxy would send them: what one of them was
// told is asked of the other.
const redis = process.env.BLACKBOX_REDIS
const hosts = redis ? 2 : 1

// One `playctl serve`.
class Server {
  log = ''

  constructor(args, env) {
    this.process = spawn(binary, ['serve', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.exited = once(this.process, 'exit')
    this.process.stderr.setEncoding('utf8').on('data', (text) => (this.log += text))
  }

  async ready() {
    this.url = (await this.#banner()).url
    this.port = new URL(this.url).port
  }

  // The banner is one JSON document on standard output, written once the host serves.
  #banner() {
    return new Promise((resolve, reject) => {
      let text = ''
      this.process.stdout.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
        try {
          resolve(JSON.parse(text))
        } catch {
          // The document is not complete yet.
        }
      })
      this.process.once('error', reject)
      this.process.once('exit', (code) =>
        reject(new Error(`the host exited with ${code} before it was ready:\n${this.log}`))
      )
    })
  }

  async end(signal) {
    this.process.kill(signal)
    await this.exited
  }
}

export class Host extends Client {
  servers = []
  log = ''
  #turn = 0

  constructor(folder, args) {
    super()
    this.folder = folder
    this.args = args
    writeFileSync(join(folder, 'root'), rootKey, { mode: 0o600 })
    writeFileSync(join(folder, 'admin'), adminToken, { mode: 0o600 })
    // Where the world is written down.
    this.store = redis ? process.env.BLACKBOX_REDIS_DIR : join(folder, 'data')
  }

  async start() {
    const kept = redis ? ['--store', redis, '--host-id', basename(this.folder)] : ['--data-dir', this.store]
    const env = { PATH: process.env.PATH, HOME: this.folder }
    const args = ['--output', 'json', '--root-file', join(this.folder, 'root'), ...kept]
    args.push('--admin-token-file', join(this.folder, 'admin'), '--listen', '127.0.0.1:0', ...this.args)
    const address = args[args.lastIndexOf('--listen') + 1]
    this.servers = []
    while (this.servers.length < hosts) {
      const server = new Server(args, env)
      this.servers.push(server)
      await server.ready().catch(async (error) => {
        await this.kill()
        throw error
      })
      // The others serve beside the first, each at a port of its own.
      args.push('--listen', address.replace(/:\d+$/, ':0'))
    }
    this.base = this.servers[0].url
    return this
  }

  // copy makes the world of a folder this host's, before it starts.
  copy(source) {
    const data = join(this.folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    cpSync(source, data, { recursive: true })
    if (!redis) return
    const args = ['store', 'migrate', '--from', data, '--to', redis, '--host-id', basename(this.folder)]
    execFileSync(binary, args, { env: { PATH: process.env.PATH, HOME: this.folder }, stdio: 'pipe' })
    rmSync(data, { recursive: true })
  }

  // next is the server whose turn it is. Its port is where a request goes; the
  // name that is called stays that of the first one.
  next() {
    return this.servers[this.#turn++ % hosts]
  }

  // level waits until a server has all that any of them has acknowledged: a rev
  // can be asked for, but not every event has one of its own.
  async level(to) {
    if (hosts === 1) return
    const reply = await this.call('GET', new URL('/readyz', this.base).href, { to })
    if (reply.status !== 200) throw new Error(`a host is not ready: ${reply.text}`)
  }

  // A store over a network may not answer within a host's second, and nobody knows
  // then what became of the request: with its key it is retried, as the protocol says.
  async call(method, path, options = {}) {
    if (hosts === 1) return super.call(method, path, options)
    const request = method === 'GET' ? options : { idempotency: randomUUID(), ...options }
    let reply
    for (let tries = 0; tries < 20; tries++) {
      reply = await super.call(method, path, request)
      if (reply.json?.code !== 'store_unavailable') break
    }
    return reply
  }

  // Whoever may meet another host at every call says which rev it has seen.
  headersOf(options) {
    const shown = super.headersOf(options)
    return hosts > 1 ? { 'x-play-min-rev': String(this.rev), ...shown } : shown
  }

  async #end(signal) {
    await Promise.all(this.servers.map((server) => server.end(signal)))
    this.log += this.servers.map((server) => server.log).join('')
  }

  // kill is what a power cut does to the process.
  kill() {
    return this.#end('SIGKILL')
  }

  stop() {
    return this.#end('SIGTERM')
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

// startHost serves an empty world until the test file ends.
export async function startHost(...args) {
  return startOn(undefined, args)
}

// copyHost serves a copy of the world that a host left in a folder.
export async function copyHost(source, ...args) {
  return startOn(source, args)
}

async function startOn(source, args) {
  const folder = mkdtempSync(join(tmpdir(), 'playctl-blackbox-'))
  const host = new Host(folder, args)
  if (source) host.copy(source)
  after(async () => {
    await host.kill()
    host.remove()
  })
  return host.start()
}
