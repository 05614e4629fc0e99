import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rootKey } from './accounts.js'
import { Host, Reports } from './host.js'

/** A Redis server for a test, on a socket in its own folder, which syncs every write. */
export class Redis {
  // A socket's path may have at most 108 bytes.
  readonly folder = mkdtempSync(path.join(tmpdir(), 'pr-'))
  readonly url = `redis+unix://${path.join(this.folder, 's')}`
  #child: ChildProcess | undefined

  /** Starts the server, with its earlier data if there is any, and waits until it accepts connections. */
  async start(): Promise<void> {
    const args = ['--port', '0', '--unixsocket', path.join(this.folder, 's'), '--dir', this.folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--daemonize', 'no']
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    let log = ''
    for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
      log += String(text)
      if (log.includes('ready to accept connections')) break
    }
    if (!log.includes('ready to accept connections')) throw new Error(`redis-server did not start: ${log}`)
    child.stdout.resume()
  }

  /** Ends the server as a power failure does. */
  async kill(): Promise<void> {
    await ended(this.#child)
    this.#child = undefined
  }

  /** Ends the server and removes its data. */
  async end(): Promise<void> {
    await this.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** A load balancer for the hosts of a world: each connection goes to the next host, whether it runs or not. */
export class Balancer {
  url = ''
  /** The hosts to which connections went, in order. */
  readonly led = new Reports<number>()
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(readonly hosts: readonly Host[]) {
    this.#server = createServer((from) => { this.#lead(from) })
  }

  static async before(hosts: readonly Host[]): Promise<Balancer> {
    const balancer = new Balancer(hosts)
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    balancer.url = `http://127.0.0.1:${(balancer.#server.address() as AddressInfo).port}`
    return balancer
  }

  #lead(from: Socket): void {
    const next = this.led.all.length % this.hosts.length
    this.led.add(next)
    const to = connect(Number(new URL(this.hosts[next]?.url ?? '').port), '127.0.0.1')
    for (const [one, other] of [[from, to], [to, from]] as const) {
      this.#open.add(one)
      one.on('error', () => other.destroy()).on('close', () => {
        this.#open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }

  /** Breaks the connections, so that their clients continue at another host. */
  move(): void {
    for (const socket of this.#open) socket.destroy()
  }

  async end(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.move()
    await closed
  }
}

/** A world on a Redis server with its hosts and a load balancer for them. */
export class Site {
  readonly redis = new Redis()
  readonly hosts: Host[] = []
  readonly #rootFile = path.join(this.redis.folder, 'root')

  private constructor() {
    writeFileSync(this.#rootFile, rootKey, { mode: 0o600 })
  }

  static async open(hosts: number): Promise<{ site: Site; balancer: Balancer }> {
    const site = new Site()
    try {
      await site.redis.start()
      for (let i = 0; i < hosts; i++) site.hosts.push(await Host.start('--store', site.redis.url, '--root-file', site.#rootFile))
      return { site, balancer: await Balancer.before(site.hosts) }
    } catch (error) {
      await site.end()
      throw error
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.hosts.map(async (host) => host.end()))
    await this.redis.end()
  }
}
