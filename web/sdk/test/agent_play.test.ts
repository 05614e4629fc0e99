import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import { RemotePlayWorld, langchainRegistration } from '../src/agent-play/index.js'
import type { ChainNode, WorldEvent, WorldSnapshot } from '../src/agent-play/index.js'
import { createClient, noRetry } from '../src/index.js'
import { FakeHost, type ReceivedRequest, chats } from './fake.js'
import { Host, Reports } from './host.js'

/** Returns a registration for an agent in LangChain's form, with the tools of a program for the agent-play service. */
const langchain = (schema: unknown) => langchainRegistration({
  options: { tools: [{ name: 'chat_tool', description: 'Chats', schema }, { name: 'assist_add', description: 'Adds', schema }] },
})

for (const flags of [['--compat', 'agent-play'], []]) {
  describe(`a program of the agent-play service, at a host ${flags.length === 0 ? 'without its paths' : 'with its paths'}`, () => {
    let host: Host
    before(async () => { host = await Host.start(...flags) })
    after(async () => { await host.end() })

    it('works with its import changed', async (test) => {
      const printed = test.mock.method(console, 'warn', () => undefined)
      const { node, apiKey } = await host.account()
      const ada = host.credentials()
      await createClient({ baseUrl: host.url, credentials: node, apiKey }).createAgentNode(ada)
      const seen = new Reports<WorldEvent>()
      const world = new RemotePlayWorld({
        baseUrl: host.url, apiKey, nodeCredentials: { rootKey: host.rootKey, passw: node.phrase }, onSessionEvent: seen.add,
      })
      assert.throws(() => world.getSessionId(), /connect\(\) first/u)
      await world.connect()
      assert.ok(world.getSessionId())
      const page = await fetch(world.getPreviewUrl())
      assert.equal(page.status, 200)
      await page.text()
      const snapshots = new Reports<WorldSnapshot>()
      const { close } = world.subscribeWorldState({ onSnapshot: snapshots.add })
      await snapshots.until(({ worldMap }) => worldMap.occupants.length === 0)
      const player = await world.addPlayer({ name: 'Ada', type: 'langchain', agent: langchain(z.object({ a: z.number() })), agentId: ada.nodeId, agentPassphrase: ada.phrase })
      assert.equal(player.id, ada.nodeId)
      await snapshots.until(({ worldMap }) => worldMap.occupants.some(({ name }) => name === 'Ada'))
      await seen.until(({ kind }) => kind === 'world:player_added')
      await world.recordInteraction({ playerId: player.id, role: 'assistant', text: 'Hello' })
      await world.recordJourney(player.id, { startedAt: new Date(), completedAt: new Date(), steps: [{ type: 'origin', content: 'hi', messageId: 'm' }] })
      const chainNode: ChainNode = await world.getPlayerChainNode(`agent:${node.nodeId}:${ada.nodeId}`)
      assert.equal(chainNode.kind, 'occupant')
      const mcp: string = await world.registerMcp({ name: 'tools', url: 'https://example.com/mcp' })
      assert.notEqual(mcp, '')
      const called: string[] = []
      const off = world.onClose(() => { called.push('taken back') })
      world.onClose(() => { called.push('first'); throw new Error('a listener that fails') })
      world.onClose(() => { called.push('second') })
      off()
      close()
      await world.hold().for(0)
      await assert.rejects(world.hold().for(NaN))
      await Promise.all([world.close(), world.close()])
      assert.deepEqual(called, ['first', 'second'])
      assert.match(String(printed.mock.calls[0]?.arguments[1]), /a listener that fails/u)
      await assert.rejects(world.connect(), /closed/u)
    })

    it('finds the credentials file that its commands wrote', async () => {
      const { node } = await host.account()
      mkdirSync(path.join(host.folder, '.agent-play'), { recursive: true })
      writeFileSync(path.join(host.folder, '.agent-play/credentials.json'), JSON.stringify({ serverUrl: host.url, nodeId: node.nodeId, passw: node.phrase }))
      const { HOME } = process.env
      process.env.HOME = host.folder
      const world = new RemotePlayWorld(flags.length === 0 ? { mainNodeCredentials: node, baseUrl: host.url, apiKey: 'x' } : {})
      try {
        if (flags.length > 0) await world.connect()
        else await assert.rejects(world.connect(), /API key/u)
      } finally {
        process.env.HOME = HOME
        await world.close()
      }
    })
  })
}

describe('a world of the agent-play service', () => {
  const world = (host: FakeHost) => new RemotePlayWorld({
    baseUrl: 'http://127.0.0.1:9', service: 'play', apiKey: 'none', mainNodeCredentials: { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) },
    retry: noRetry, fetch: host.fetch, onWarning: () => undefined,
  })

  it('connects on the next call if the host was unavailable before', async () => {
    let away = true
    const host = new FakeHost(() => (away ? Promise.reject(new TypeError('fetch failed')) : undefined))
    await using late = world(host)
    await assert.rejects(late.connect(), /fetch failed/u)
    away = false
    await late.connect()
    assert.equal(late.getSessionId(), 's')
  })

  it('calls onClose functions and rejects every close if an agent cannot be disconnected', async () => {
    const refuses = ({ route }: ReceivedRequest) => (route === '/players/disconnect' ? Response.json({ error: 'no', code: 'forbidden' }, { status: 403 }) : undefined)
    const left = world(new FakeHost(refuses))
    await left.addAgent({ name: 'Ada', nodeId: 'ada', type: 'test', agent: chats })
    let called = 0
    left.onClose(() => { called++ })
    const closings = await Promise.allSettled([left.close(), left.close()])
    assert.deepEqual(closings.map(({ status }) => status), ['rejected', 'rejected'])
    assert.equal(called, 1)
  })
})

describe('langchainRegistration', () => {
  it('reads the tools of the agent, with the fields of any Zod version', () => {
    const zod3 = { _def: { typeName: 'ZodObject', shape: () => ({ a: { _def: { typeName: 'ZodOptional', innerType: { _def: { typeName: 'ZodNumber' } } } }, b: { _def: { typeName: 'ZodDate' } } }) } }
    assert.deepEqual(langchain(zod3), {
      type: 'langchain', toolNames: ['chat_tool', 'assist_add'],
      assistTools: [{ name: 'assist_add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number', 'x-order': 0 }, b: { 'x-order': 1 } } } }],
    })
    assert.deepEqual((langchain(z.object({ a: z.string() })).assistTools[0]?.parameters.properties), { a: { type: 'string' } })
    assert.throws(() => langchainRegistration({}), /no list of tools/u)
    assert.throws(() => langchainRegistration({ tools: [{ name: 'assist_add' }] }), /lack chat_tool/u)
  })
})
