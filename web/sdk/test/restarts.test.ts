import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from '@playwright/test'
import { createClient } from '../src/index.js'
import { launchOptions } from './chromium.js'
import { type Seen, type Source, type Streams, chromiumSource, curl, eventsource, eventsourceClient, fetchSource, r3labs } from './eventsources.js'
import { rootKey } from './accounts.js'
import { Host } from './host.js'
import { repository } from './repository.js'
import { Redis } from './site.js'
import { Started } from './started.js'

/** The number of streams of each library, of Chromium's contexts with six streams, and of its streams over HTTP/2. */
const [each, contexts, overHTTP2] = [100, 4, 50]
const patienceMs = 180_000
/** How long the store is down while its hosts run: longer than any wait of a stream. */
const outageMs = 90_000

/** Writes one line after another, each until it is accepted, and only once. */
class Writer {
  /** The seq of the last accepted line. */
  last = 0
  readonly #ending = new AbortController()
  readonly #done: Promise<void>

  constructor(source: Source, playerId: string) {
    this.#done = this.#write(source, playerId)
  }

  async #write(source: Source, playerId: string): Promise<void> {
    for (let i = 0; !this.#ending.signal.aborted; ) {
      await sleep(300)
      const body = JSON.stringify({ op: 'recordInteraction', payload: { playerId, role: 'user', text: `line ${i}` } })
      const headers = { ...source.headers, 'content-type': 'application/json', 'idempotency-key': `line-${i}` }
      const reply = await fetch(source.url + source.path.replace('events', 'sdk/rpc'), { method: 'POST', headers, body }).catch(() => undefined)
      if (reply?.status !== 200) {
        await reply?.body?.cancel()
        continue
      }
      this.last = ((await reply.json()) as { seq: number }).seq
      i++
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#done
  }
}

/** Checks a condition repeatedly, for as long as a test waits, and reports whether it held. */
async function eventually(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = Date.now() + patienceMs
  while (Date.now() < end) {
    if (await condition()) return true
    await sleep(50)
  }
  return false
}

describe('standard clients through restarts', () => {
  const redis = new Redis()
  const hosts: Host[] = []
  const open: Streams[] = []
  const started = new Started()
  let plain: Source
  let writer: Writer

  before(async () => {
    started.add(async () => redis.end())
    await redis.start()
    started.add(async () => Promise.all(hosts.map(async (host) => host.end())))
    const store = ['--store', redis.url, '--store-wait', '10m', '--root-file', path.join(redis.folder, 'root')]
    writeFileSync(path.join(redis.folder, 'root'), rootKey, { mode: 0o600 })
    const goroot = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim()
    execFileSync('go', ['run', path.join(goroot, 'src/crypto/tls/generate_cert.go'), '--host', '127.0.0.1', '--ecdsa-curve', 'P256'], { cwd: redis.folder, stdio: 'ignore' })
    const program = path.join(redis.folder, 'r3labs')
    execFileSync('go', ['build', '-o', program, '.'], { cwd: path.join(repository, 'web/sdk/test/testdata/r3labs') })
    hosts.push(await Host.start(...store))
    hosts.push(await Host.start(...store, '--tls-cert', path.join(redis.folder, 'cert.pem'), '--tls-key', path.join(redis.folder, 'key.pem')))
    const [host, secure] = hosts as [Host, Host]
    const { node, apiKey } = await host.account()
    const account = createClient({ baseUrl: host.url, apiKey, credentials: node })
    const agent = host.credentials()
    await account.createAgentNode(agent)
    // Without a lease the only events are those of lines.
    await account.register({ name: 'Ada', type: 'test', agentId: agent.nodeId, agent: { type: 'test', toolNames: ['chat_tool'] } })
    const { sid } = await account.session()
    plain = { url: host.url, path: `/api/play/events?sid=${sid}`, headers: { 'x-node-id': node.nodeId, 'x-node-passw': node.passwHash } }
    writer = new Writer(plain, agent.nodeId)
    started.add(async () => writer.stop())
    const browser = await chromium.launch(launchOptions('engine'))
    started.add(async () => browser.close())
    started.add(async () => Promise.all(open.map(async (streams) => streams.end())))
    open.push(eventsource(plain, each), eventsourceClient(plain, each), fetchSource(plain, each), r3labs(program, plain, each), curl(plain, each))
    open.push(await chromiumSource(browser, plain, contexts, 6), await chromiumSource(browser, { ...plain, url: secure.url }, 1, overHTTP2))
    await eventually(() => writer.last > 0 && seen().every(({ first }) => first > 0))
    assert.deepEqual(open.map(({ all }) => [all[0]?.kind, all.filter(({ first }) => first === 0).length]).filter(([, late]) => late !== 0), [], 'not all streams started')
  })
  after(async () => started.end())

  const seen = (): Seen[] => open.flatMap(({ all }) => all)
  const stop = async (signal: NodeJS.Signals) => { await Promise.all(hosts.map(async (host) => { await host.kill(signal) })) }
  const start = async () => { await Promise.all(hosts.map(async (host) => { await host.start() })) }

  /** Checks that every stream received each line that was written after the outage exactly once. */
  async function assertContinuous(reported: (figures: string) => void): Promise<void> {
    const before = writer.last
    assert.ok(await eventually(() => writer.last > before), 'no line can be written')
    const mark = writer.last
    await eventually(() => seen().every(({ last }) => last >= mark))
    const figures = await Promise.all(open.map(async (streams) => {
      const sum = (of: (seen: Seen) => number) => streams.all.reduce((total, seen) => total + of(seen), 0)
      return {
        kind: streams.all[0]?.kind, streams: streams.all.length, dead: await streams.dead(), behind: sum(({ last }) => (last < mark ? 1 : 0)),
        lost: sum(({ lost }) => lost), twice: sum(({ twice }) => twice),
      }
    }))
    reported(JSON.stringify(figures))
    for (const { kind, streams, ...wrong } of figures) assert.deepEqual(wrong, { dead: 0, behind: 0, lost: 0, twice: 0 }, `${kind}, ${streams} streams`)
  }

  it('reconnect after SIGTERM', async (t) => {
    await stop('SIGTERM')
    await start()
    await assertContinuous((figures) => { t.diagnostic(figures) })
  })

  it('reconnect after SIGKILL', async (t) => {
    await stop('SIGKILL')
    await start()
    await assertContinuous((figures) => { t.diagnostic(figures) })
  })

  it('continue after an outage of the store, and reconnect after a host has waited for it', async (t) => {
    await redis.kill()
    await stop('SIGTERM')
    const started = start()
    // All reconnecting streams reach a host that waits for the store: it ends a stream immediately.
    let refusals = 0
    const probe = async () => {
      const reply = await fetch(plain.url + plain.path, { headers: plain.headers }).catch(() => undefined)
      if (reply?.status === 200 && /^retry: [0-9]+\n\n$/u.test(await reply.text())) refusals++
    }
    assert.ok(await eventually(async () => {
      // Concurrently: this process is busy with many reconnecting streams.
      await Promise.all(Array.from({ length: 10 }, probe))
      return refusals >= 10
    }), 'no stream ended at once')
    await redis.start()
    await started
    await assertContinuous((figures) => { t.diagnostic(figures) })
  })

  it('continue after a long outage of the store of running hosts', async (t) => {
    await redis.kill()
    await sleep(outageMs)
    await redis.start()
    await assertContinuous((figures) => { t.diagnostic(figures) })
  })
})
