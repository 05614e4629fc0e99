import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RemotePlayWorld, frameworkRegistration, playerChainRoot } from '../src/index.js'
import type { WorldSnapshot, WorldUpdate } from '../src/index.js'
import { FakeHost } from './fake.js'
import { Host, Reports } from './host.js'
import { RewritingProxy, olderFrames } from './rewriting_proxy.js'

const tools = frameworkRegistration('test', ['chat_tool', 'assist_book'])

describe('the paths of the agent-play service', () => {
  let host: Host
  before(async () => {
    host = await Host.start('--compat', 'agent-play')
  })
  after(async () => { await host.end() })

  for (const older of [false, true]) {
    it(`serve all calls of an agent, ${older ? 'at a host without rev and seq' : 'at this host'}`, async () => {
      const proxy = await RewritingProxy.start(host.url)
      if (older) asOlderHost(proxy)
      const account = await host.account()
      const warnings = new Reports<string>()
      const world = new RemotePlayWorld({
        baseUrl: proxy.url, service: 'agent-play', apiKey: account.apiKey, nodeCredentials: account.node, onWarning: warnings.add,
      })
      const updates = new Reports<WorldUpdate>()
      await world.subscribeWorldState({ onSnapshot: updates.add })
      assert.equal((await updates.until(() => true)).verification, older ? 'unverifiable' : 'verified')
      const agent = host.credentials()
      await world.createAgentNode(agent)
      // Without credentials of its own: the agent's id with its owner's hash.
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- programs that were written for that service call it so
      const ada = await world.addPlayer({ name: 'Ada', agent: tools, nodeId: agent.nodeId })
      const commands = await world.subscribeIntercomCommands({ execute: ({ command }) => `You said: ${command.text ?? ''}` })
      assert.deepEqual(warnings.all.map((text) => text.includes('no credentials of its own')), [true])
      await updates.until((u) => u.snapshot.worldMap.occupants.some((row) => row.name === 'Ada'))
      // A command that is sent before this stream is open would be missed.
      await proxy.streams.until(() => true, 1)
      assert.equal((await world.ask({ to: ada.id, text: 'hello' })).message, 'You said: hello')
      assert.equal((await ada.say('Good morning.')).ok, true)
      await commands.close()
      await ada.disconnect()
      const left = await updates.until((u) => u.event !== undefined && u.snapshot.worldMap.occupants.length === 0)
      // Its events state a root, with which the copy is compared.
      assert.equal(left.verification, 'verified')
      assert.ok(updates.all.every((u) => u.verification !== 'mismatch'))
      await world.close()
      await proxy.end()
    })
  }
})

describe('a snapshot of the agent-play service', () => {
  it('is verified with the root key of the host if it states a root', async () => {
    const rows = { sid: 's', mainNodeId: 'somebody', worldMap: { bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 }, occupants: [] }, spaces: [] }
    const stated = playerChainRoot(rows as unknown as WorldSnapshot, 'the root key')
    const host = new FakeHost(({ route }) => {
      if (route === 'getWorldSnapshot') return Response.json({ snapshot: { ...rows, ...stated } })
      if (route !== 'getPlayerChainNode') return undefined
      return Response.json({ node: { kind: 'genesis', stableKey: '__genesis__', text: 'the root key' } })
    })
    await using world = host.world({ service: 'agent-play', mainNodeCredentials: { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) } })
    assert.equal((await world.getWorldSnapshot()).merkleRootHex, stated.merkleRootHex)
  })
})

/** Limits the host's replies to those of the agent-play service (protocol reference, "Other service names, other hosts"). */
function asOlderHost(proxy: RewritingProxy): void {
  proxy.session = (reply) => {
    for (const name of ['capabilities', 'rev', 'seq']) Reflect.deleteProperty(reply, name)
  }
  proxy.change = olderFrames
  proxy.withholdsHeaders = true
  proxy.rpc = ({ op }, reply) => {
    if (op === 'getPlayerChainNode') delete reply.rev
    if (op !== 'getWorldSnapshot') return
    const snapshot = reply.snapshot as Record<string, unknown>
    for (const name of ['rev', 'seq', 'merkleRootHex', 'merkleLeafCount']) Reflect.deleteProperty(snapshot, name)
  }
}
