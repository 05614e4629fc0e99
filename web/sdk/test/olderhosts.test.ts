import assert from 'node:assert/strict'
import { after, before, beforeEach, afterEach, describe, it } from 'node:test'
import { type WorldClient, createClient, parsePlayerChainFanoutNotifyFromSsePayload, sortNodeRefsForSerializedFetch } from '../src/index.js'
import type { NodeCredentialMaterial } from '../src/index.js'
import { follow, registration } from './follow.js'
import { Host, Reports, adminToken } from './host.js'
import { type Changeable, RewritingProxy, olderFrames } from './rewriting_proxy.js'

/** The capabilities with which a host returns the rows of an event in one reply and at the event's rev. */
const readsOfRows = ['chain-nodes', 'chain-at-rev']

describe('a subscription at a host that lacks capabilities', () => {
  let host: Host
  let client: WorldClient
  let proxy: RewritingProxy
  let through: WorldClient
  before(async () => {
    host = await Host.start('--no-repository')
    client = createClient({ baseUrl: host.url })
  })
  after(async () => { await host.end() })
  beforeEach(async () => {
    proxy = await RewritingProxy.start(host.url)
    through = createClient({ baseUrl: proxy.url })
  })
  afterEach(async () => {
    await proxy.end()
    for (const row of (await client.snapshot()).worldMap.occupants) {
      if (row.kind === 'agent') await client.disconnect({ playerId: row.agentId })
    }
  })
  const nodeCalls = (op = 'getPlayerChainNode') => proxy.calls.filter((call) => call.op === op)

  it('without reads of the past requests nothing older than the event', async () => {
    proxy.without('chain-at-rev')
    const { updates, sub } = follow(through, { inline: false })
    await updates.until((u) => u.verification === 'verified')
    await client.register(registration('a'))
    const added = await updates.until((u) => u.event !== undefined)
    assert.equal(added.verification, 'verified')
    const [read] = nodeCalls('getPlayerChainNodes')
    assert.ok(read !== undefined && !('atRev' in read.payload))
    assert.equal(read.headers['x-play-min-rev'], String(added.snapshot.rev))
    await sub.close()
  })

  it('with reads of the past requests the rows as of the event', async () => {
    proxy.without('chain-nodes')
    const { updates, sub } = follow(through, { inline: false })
    await updates.until((u) => u.verification === 'verified')
    await client.register(registration('a'))
    const added = await updates.until((u) => u.event !== undefined)
    const [read] = nodeCalls()
    assert.equal(read?.payload.atRev, added.snapshot.rev)
    assert.equal(read?.headers['x-play-min-rev'], String(added.snapshot.rev))
    await sub.close()
  })

  it('merges rows that are newer than their event and catches up', async () => {
    proxy.without('chain-at-rev', 'chain-nodes')
    const fetched = new Reports<string>()
    let release = () => { /* set before it is called */ }
    const held = new Promise<void>((resolve) => { release = resolve })
    const { updates, states, sub } = follow(through, { inline: false })
    await updates.until((u) => u.verification === 'verified')
    proxy.rpc = async (call) => {
      if (call.op !== 'getPlayerChainNode') return
      fetched.add(call.op)
      await held
    }
    // While the first row is being read, the second one changes twice, so that its
    // first event already leads to the row that only its second event reports.
    await client.register(registration('first'))
    await fetched.until(() => true)
    proxy.rpc = undefined
    await client.register(registration('second', 'before'))
    await client.register(registration('second', 'after'))
    const { rev } = await client.snapshot()
    release()
    await updates.until((u) => u.snapshot.rev === rev)
    assert.ok(states.all.some((s) => s.verification === 'catching-up'))
    assert.ok(states.all.every((s) => s.verification !== 'mismatch'), 'a row of a later rev was reported as a mismatch')
    assert.equal(sub.state.verification, 'verified')
    assert.equal(sub.state.stats.fullReads, 1)
    await sub.close()
  })

  it('reports a mismatch only after two seconds if rows have no rev', async () => {
    proxy.without(...readsOfRows, 'resume')
    const forged = (reply: Changeable) => {
      const { occupant } = reply.node as { occupant?: Changeable }
      if (occupant !== undefined) occupant.name = 'forged'
    }
    proxy.change = (text) => olderFrames(text)
    proxy.rpc = (call, reply) => {
      if (call.op === 'getPlayerChainNode') {
        delete reply.rev
        forged(reply)
      }
    }
    const { updates, states, errors, sub } = follow(through, { inline: false })
    await updates.until((u) => u.verification === 'verified')
    const start = performance.now()
    await client.register(registration('a', 'honest'))
    const merged = await updates.until((u) => u.event !== undefined)
    assert.equal(merged.snapshot.worldMap.occupants[0]?.name, 'forged')
    assert.ok((await states.until((s) => s.verification === 'mismatch')).stats.mismatches === 1)
    assert.ok(performance.now() - start >= 2000, 'unequal roots were reported as a mismatch immediately')
    assert.equal(states.all.at(-2)?.verification, 'catching-up')
    await errors.until((e) => e.message.includes('2 s ago'))
    const healed = await updates.until((u) => u.event === undefined && u.verification === 'verified', 1)
    assert.equal(healed.snapshot.worldMap.occupants[0]?.name, 'honest')
    assert.equal(sub.state.stats.heals, 1)
    await sub.close()
  })

  it('is verified again with the next event if rows have no rev', async () => {
    proxy.without(...readsOfRows, 'resume')
    let newer: Changeable | undefined
    proxy.change = (text) => olderFrames(text)
    proxy.rpc = (call, reply) => {
      if (call.op !== 'getPlayerChainNode') return
      delete reply.rev
      // The first read already sees what only the second event reports.
      const { occupant } = reply.node as { occupant?: Changeable }
      if (newer === undefined && occupant !== undefined) occupant.name = 'second'
      newer ??= reply
    }
    const { updates, states, sub } = follow(through, { inline: false })
    await updates.until((u) => u.verification === 'verified')
    await client.register(registration('a', 'first'))
    assert.notEqual((await updates.until((u) => u.event !== undefined)).verification, 'verified')
    await client.register(registration('a', 'second'))
    await states.until((s) => s.verification === 'verified', states.all.findIndex((s) => s.verification === 'catching-up'))
    assert.equal(sub.state.stats.mismatches, 0)
    assert.equal(sub.state.stats.fullReads, 1)
    await sub.close()
  })

  it('reads the world while the headers of the stream are withheld', async () => {
    await client.register(registration('a'))
    proxy.without(...readsOfRows, 'resume')
    proxy.withholdsHeaders = true
    const { updates, sub } = follow(through, { inline: false, headersTimeoutMs: 200 })
    const read = await updates.until((u) => u.verification === 'verified')
    assert.equal(read.snapshot.worldMap.occupants.length, 1)
    assert.equal(sub.state.connected, false)
    await client.register(registration('b'))
    const added = await updates.until((u) => u.event !== undefined)
    assert.equal(added.snapshot.worldMap.occupants.length, 2)
    assert.equal(added.verification, 'verified')
    assert.equal(sub.state.connected, true)
    assert.equal(sub.state.stats.fullReads, 1)
    await sub.close()
  })

  it('misses no event that was withheld', async () => {
    const pieces: string[] = []
    let holds = false
    proxy.change = (text) => {
      if (holds) pieces.push(text)
      return holds ? '' : pieces.splice(0).join('') + text
    }
    const { updates, events, sub } = follow(through)
    await updates.until((u) => u.verification === 'verified')
    const first = sub.state.snapshot?.seq ?? 0
    holds = true
    for (const name of ['one', 'two', 'three']) await client.register(registration('a', name))
    holds = false
    await client.register(registration('a', 'four'))
    await updates.until((u) => u.snapshot.worldMap.occupants[0]?.name === 'four')
    assert.deepEqual(events.all.map((event) => event.seq), [1, 2, 3, 4].map((i) => first + i))
    assert.ok(updates.all.every((u) => u.verification === 'verified'))
    await sub.close()
  })
})

describe('rows of one event, read one by one', () => {
  let host: Host
  let account: { node: NodeCredentialMaterial; apiKey: string }
  before(async () => {
    host = await Host.start()
    account = await host.account()
  })
  after(async () => { await host.end() })

  it('are fetched one after the other: removals from the end, then the others from the beginning', async () => {
    const owner = createClient({ baseUrl: host.url, credentials: account.node, apiKey: account.apiKey })
    for (const name of ['one', 'two', 'three']) await owner.registerMcp({ name })
    await owner.createSpace({ name: 'Shop', designKey: 'd', ownerDisplayName: 'Ada' })
    const proxy = await RewritingProxy.start(host.url)
    proxy.without(...readsOfRows)
    const credentials = { adminToken }
    const { updates, sub } = follow(createClient({ baseUrl: proxy.url, credentials }), { inline: false })
    await updates.until((u) => u.verification === 'verified')

    await owner.createSpace({ name: 'Market', designKey: 'd', ownerDisplayName: 'Ada' })
    const made = await updates.until((u) => u.event !== undefined)
    await owner.deleteNode(account.node.nodeId)
    const gone = await updates.until((u) => u.snapshot.worldMap.occupants.length === 0)
    const expected = [made, gone].flatMap(({ event }) =>
      sortNodeRefsForSerializedFetch(parsePlayerChainFanoutNotifyFromSsePayload(event?.data)?.nodes ?? []).map((ref) => ref.stableKey))
    assert.ok(expected.length >= 9, `${expected.length} rows were changed`)
    assert.deepEqual(proxy.calls.filter((call) => call.op === 'getPlayerChainNode').map((call) => call.payload.stableKey), expected)
    assert.equal(proxy.maxConcurrent, 1)
    assert.ok(!proxy.calls.some((call) => call.op === 'getPlayerChainNodes'))
    assert.ok(updates.all.every((u) => u.verification !== 'mismatch'))
    assert.equal(sub.state.verification, 'verified')
    assert.equal(sub.state.stats.fullReads, 1)
    await sub.close()
    await proxy.end()
  })
})
