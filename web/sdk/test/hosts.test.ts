import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PlayError, RemotePlayWorld, UnreachableError, createClient, frameworkRegistration, isEvent, playerChainRoot } from '../src/index.js'
import type { Agent, NodeCredentialMaterial, WorldEvent } from '../src/index.js'
import { follow } from './follow.js'
import { type Host, Reports } from './host.js'
import { type Balancer, Site } from './site.js'
import { Started } from './started.js'

const tools = frameworkRegistration('test', ['chat_tool'])

/** Writes numbered lines and journeys until it is stopped. */
class Writer {
  readonly written: string[] = []
  #stopped = false
  readonly done: Promise<void>

  constructor(readonly agent: Agent, readonly name: string) {
    this.done = this.#write()
  }

  async #write(): Promise<void> {
    for (let i = 0; !this.#stopped; i++) {
      const text = `${this.name} ${i}`
      const now = new Date().toISOString()
      if (i % 4 === 3) {
        await this.agent.recordJourney({ startedAt: now, completedAt: now, steps: [{ type: 'origin', content: text, messageId: text }] })
      } else {
        await this.agent.say(text)
      }
      this.written.push(text)
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.done
  }
}

/** Returns the writers' texts in an event. */
function written(events: readonly WorldEvent[]): string[] {
  return events.flatMap((event) => {
    if (isEvent(event, 'world:interaction')) return [event.data.text]
    const [step] = isEvent(event, 'world:journey') ? event.data.journey.steps : []
    return step?.type === 'origin' ? [step.content] : []
  })
}

describe('a world with several hosts', () => {
  const started = new Started()
  let site: Site
  let balancer: Balancer
  let node: NodeCredentialMaterial
  let apiKey = ''
  let world: RemotePlayWorld
  const agents: Agent[] = []
  before(async () => {
    ({ site, balancer } = await Site.open(2))
    started.add(async () => site.end())
    started.add(async () => balancer.end())
    const [host] = site.hosts as [Host]
    ;({ node, apiKey } = await host.account())
    world = new RemotePlayWorld({ baseUrl: balancer.url, apiKey, mainNodeCredentials: node })
    started.add(async () => world.close())
    for (const name of ['Ada', 'Bob']) {
      const credentials = host.credentials()
      await world.createAgentNode(credentials)
      agents.push(await world.addAgent({ name, agent: tools, credentials }))
    }
  })
  after(async () => started.end())

  /** A client of the account, and the rev that its last request required. */
  const accountClient = () => {
    const last = { least: NaN }
    const client = createClient({
      baseUrl: balancer.url, credentials: node, apiKey,
      fetch: async (input, init) => {
        last.least = Number(new Headers(init?.headers).get('x-play-min-rev') ?? NaN)
        return fetch(input, init)
      },
    })
    return { client, last }
  }

  it('shows a write at one host at every other host', async () => {
    const { client, last } = accountClient()
    for (let i = 0; i < 10; i++) {
      const { id } = await client.registerMcp({ name: `placement ${i}` })
      balancer.move()
      const { worldMap, rev } = await client.snapshot()
      // Hosts are usually up to date: this rev prevents an older reply from one that is not.
      assert.equal(last.least, rev)
      assert.ok(worldMap.occupants.some((row) => row.kind === 'mcp' && row.id === id), `the host of connection ${balancer.led.all.length} is behind`)
      assert.equal((await client.unregisterMcp(id)).ok, true)
    }
    assert.deepEqual(new Set(balancer.led.all), new Set([0, 1]))
  })

  it('shows what a write was refused for at every other host', async () => {
    const { client, last } = accountClient()
    const { client: other } = accountClient()
    await other.registerMcp({ name: 'placement of another client' })
    const { rev } = await other.snapshot()
    await assert.rejects(client.recordInteraction({ playerId: 'removed', role: 'user', text: 'hello' }), { code: 'forbidden' })
    balancer.move()
    await client.snapshot()
    assert.ok(rev !== undefined && last.least >= rev, `a read requires rev ${last.least}, the refusal was at rev ${rev ?? 'unknown'} or later`)
  })

  it('is followed without gaps or repeats through failures of hosts and Redis', async () => {
    const client = await world.client()
    const plain = new Reports<WorldEvent>()
    const opened = new Reports<boolean>()
    const gaps = new Reports<Error>()
    const events = await world.subscribeEvents({ onEvent: plain.add, onOpen: () => { opened.add(true) }, onError: gaps.add })
    const followers = [follow(client), follow(client, { inline: false })]
    await opened.until(() => true)
    for (const { updates } of followers) await updates.until((u) => u.verification === 'verified')
    const writers = agents.map((agent) => new Writer(agent, agent.name))
    const more = async () => {
      for (const reported of [plain, ...followers.map((f) => f.events)]) {
        const from = reported.all.length
        await reported.until(() => reported.all.length >= from + 20)
      }
    }
    await more()
    for (let round = 0; round < 2; round++) {
      balancer.move()
      await more()
      for (const host of site.hosts) {
        await host.kill()
        await more()
        await host.start()
      }
      await site.redis.kill()
      await site.redis.start()
      await more()
    }
    await Promise.all(writers.map(async (writer) => writer.stop()))
    const all = writers.flatMap((writer) => writer.written)
    const last = (await agents[0]?.say('the end'))?.seq ?? 0
    for (const reported of [plain, ...followers.map((f) => f.events)]) {
      await reported.until((event) => event.seq === last)
      assert.deepEqual(reported.all.map((event) => event.seq), Array.from(reported.all, (_event, i) => (reported.all[0]?.seq ?? 0) + i))
      assert.deepEqual(written(reported.all).sort(), [...all, 'the end'].sort())
      assert.ok(!reported.all.some((event) => event.kind.startsWith('session:')))
    }
    const root = playerChainRoot(await client.snapshot())
    for (const { sub, updates, errors } of followers) {
      const { snapshot, verification, stats } = sub.state
      assert.ok(snapshot)
      assert.equal(verification, 'verified')
      assert.deepEqual(playerChainRoot(snapshot), root)
      assert.deepEqual({ mismatches: stats.mismatches, heals: stats.heals }, { mismatches: 0, heals: 0 })
      // The world is read once, and again only if no host returned the rows of an event. An error without a cause is about
      // a snapshot that was too old and was not used.
      const failedReads = errors.all.filter((error) => error.name === 'ChainError' && error.cause !== undefined)
      for (const { cause } of failedReads) assert.ok(cause instanceof PlayError || cause instanceof UnreachableError, String(cause))
      // The first snapshot may come from a host that is behind the stream's: this client requests no rev, since it has
      // written nothing yet. It is read again after the stream has stated its position, which is before the first event.
      const whole = updates.all.flatMap(({ event }, i) => (event === undefined ? [i] : []))
      const again = whole[1] === 1 ? 1 : 0
      assert.ok(stats.fullReads <= 1 + again + failedReads.length, `${stats.fullReads} full reads, as updates ${whole.join()}, and ${errors.all.join('; ')}`)
      assert.ok(stats.reconnects >= 4, `${stats.reconnects} reconnects`)
      assert.ok(updates.all.every((u) => u.verification === 'verified'))
      await sub.close()
    }
    assert.ok(!gaps.all.some((error) => error.name === 'GapError'))
    await events.close()
  })
})
