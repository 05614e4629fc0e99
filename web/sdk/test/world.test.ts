import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import {
  ClosedError, type IntercomEventData, OptionError, PlayError, RemotePlayWorld, ToolError, UnreachableError, type WorldEvent,
  createClient, frameworkRegistration, hasCode, isEvent, subscribeEvents,
} from '../src/index.js'
import type { NodeCredentialMaterial, WorldUpdate } from '../src/index.js'
import { Host, Reports } from './host.js'

const tools = frameworkRegistration('test', ['chat_tool', { name: 'assist_book', description: 'Book a table' }])
const journey = {
  startedAt: '2026-01-02T03:04:05.678Z', completedAt: '2026-01-02T03:04:06.000Z',
  steps: [{ type: 'origin', content: 'hello', messageId: 'm1' }, { type: 'destination', content: 'done', messageId: 'm2' }] as const,
}

describe('RemotePlayWorld', () => {
  let host: Host
  let account: { node: NodeCredentialMaterial; apiKey: string }
  let ada: NodeCredentialMaterial
  const open = (onWarning?: (text: string) => void) => new RemotePlayWorld({
    baseUrl: host.url, apiKey: account.apiKey, mainNodeCredentials: account.node, ...(onWarning === undefined ? {} : { onWarning }),
  })
  before(async () => {
    host = await Host.start()
    account = await host.account()
    ada = host.credentials()
    const world = open()
    await world.createAgentNode(ada)
    await world.close()
  })
  after(async () => { await host.end() })

  it('requires an address, an API key and complete credentials', () => {
    const good = { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' }
    for (const bad of [{ ...good, apiKey: ' ' }, { ...good, baseUrl: '' }, { ...good, baseUrl: 'ftp://x' }, { ...good, baseUrl: 'http://u:p@x' },
      { ...good, mainNodeCredentials: { nodeId: 'n' } }, { ...good, nodeCredentials: { phrase: 'a b' } }]) {
      assert.throws(() => new RemotePlayWorld(bad), OptionError)
    }
  })

  it('adds agents and placements, records, and removes the agents at its end', async () => {
    const warnings = new Reports<string>()
    const world = open(warnings.add)
    const updates = new Reports<WorldUpdate>()
    assert.ok((await world.connect()).sid)
    await world.subscribeWorldState({ onSnapshot: updates.add })
    await updates.until((u) => u.verification === 'verified')
    const agent = await world.addAgent({ name: 'Ada', agent: tools, credentials: ada })
    assert.equal(agent.playerId, ada.nodeId)
    const mcp = await world.registerMcp({ name: 'tools', url: 'https://example.com/mcp' })
    assert.ok((await agent.say('Good morning.')).seq)
    assert.ok((await world.recordInteraction({ playerId: agent.id, role: 'user', text: 'Hello, cut \ud83d' })).ok)
    assert.ok((await world.recordJourney(agent.id, journey)).rev)
    const snapshot = await world.getWorldSnapshot()
    const key = `agent:${account.node.nodeId}:${ada.nodeId}`
    const { node } = await world.getPlayerChainNode(key)
    assert.ok(node.kind === 'occupant' && !node.removed && node.occupant.kind === 'agent')
    assert.deepEqual(node.occupant.lastUpdate?.journey.steps.length, 2)
    assert.ok(snapshot.worldMap.occupants.some((row) => row.kind === 'mcp' && row.id === mcp))
    const client = await world.client()
    const said = (await client.listInteractions({ playerId: agent.id })).interactions.map(({ text }) => text)
    assert.deepEqual(said.sort(), ['Good morning.', 'Hello, cut \ufffd'])
    assert.equal((await client.listJourneys()).journeys.length, 1)
    const space = await world.registerSpaceNode({ name: 'Shop', designKey: 'd', owner: { displayName: 'Ada' }, amenities: ['shop'] })
    assert.equal((await client.inspectSpace(space.id)).space.name, 'Shop')
    assert.equal(await world.unregisterMcp(mcp), true)
    assert.equal(await world.unregisterMcp(mcp), false)
    assert.deepEqual(warnings.all, [])
    let closed = 0
    world.onClose(() => { closed++ })
    const held = assert.rejects(world.hold().for(3600), ClosedError)
    await Promise.all([world.close(), world.close(), held])
    assert.equal(closed, 1)
    await assert.rejects(world.connect(), ClosedError)
    const left = await host.admin().snapshot()
    assert.ok(!left.worldMap.occupants.some((row) => row.kind === 'agent'))
    assert.ok(updates.all.every((u) => u.verification === 'verified'))
  })

  it('holds for a given time', async () => {
    const world = open()
    await world.hold().for(0.01)
    await world.close()
  })

  it('registers its agents and placements again in a new session', async () => {
    const world = open()
    const agent = await world.addAgent({ name: 'Ada', agent: tools, credentials: ada, leaseTtlSeconds: 5 })
    await world.registerMcp({ name: 'again' })
    const updates = new Reports<WorldUpdate>()
    await world.subscribeWorldState({ onSnapshot: updates.add })
    await updates.until((u) => u.snapshot.worldMap.occupants.length === 2)
    const reset = updates.all.length
    await host.admin().resetSession()
    await updates.until((u) => u.snapshot.worldMap.occupants.length === 2 && u.event !== undefined, reset)
    assert.equal(agent.error, undefined)
    await agent.disconnect()
    await world.close()
  })

  it('executes commands, answers in parts, and reports failures', async () => {
    const world = open()
    const agent = await world.addAgent({ name: 'Ada', agent: tools, credentials: ada })
    const sub = await world.subscribeIntercomCommands({
      execute: async (call) => {
        if (call.command.text === 'fail') throw new ToolError('no table is free')
        await call.stream({ message: 'looking' })
        return { message: `booked for ${JSON.stringify(call.command.args ?? {})}`, result: { table: 7 } }
      },
    })
    await sub.ready
    const asker = (await world.client())
    const answers = new Reports<IntercomEventData>()
    const opened = new Reports<boolean>()
    const listening = subscribeEvents(asker, { onEvent: (e: WorldEvent) => { if (isEvent(e, 'world:intercom')) answers.add(e.data) }, onOpen: () => { opened.add(true) } })
    await opened.until(() => true)
    const { requestId } = await asker.assistTool({ targetPlayerId: agent.id, toolName: 'assist_book', args: { people: 2 } })
    const done = await answers.until((a) => a.status === 'completed')
    assert.equal(done.requestId, requestId)
    assert.equal(done.message, 'booked for {"people":2}')
    assert.deepEqual(answers.all.map((a) => a.status), ['started', 'forwarded', 'stream', 'completed'])
    await asker.intercomCommand({ requestId: 'r2', mainNodeId: account.node.nodeId, fromPlayerId: '__human__', toPlayerId: agent.id, kind: 'chat', text: 'fail' })
    assert.equal((await answers.until((a) => a.status === 'failed')).error, 'no table is free')
    await listening.close()
    await sub.close()
    await world.close()
  })

  it('reports refusals with their codes and shows no secret', async () => {
    const secret = '0'.repeat(64)
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey: 'key-of-nobody-else', mainNodeCredentials: { nodeId: account.node.nodeId, passwHash: secret } })
    const refused = await world.connect().then(() => assert.fail('the host accepted wrong credentials'), (error: unknown) => error)
    assert.ok(refused instanceof PlayError && refused.status === 401 && hasCode(refused, 'credentials_invalid'))
    const client = await world.client()
    for (const text of [inspect(refused, { depth: 9, showHidden: true }), inspect(world, { depth: 9 }), inspect(client, { depth: 9 }), JSON.stringify(client)]) {
      assert.ok(!text.includes(secret) && !text.includes('key-of-nobody-else'), text)
    }
    await world.close()
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    await once(free, 'close')
    const gone = createClient({ baseUrl: `http://127.0.0.1:${port}`, retry: { attempts: 1, baseMs: 1, maxMs: 1 } })
    await assert.rejects(gone.session(), (error) => error instanceof UnreachableError && !error.sent)
  })
})
