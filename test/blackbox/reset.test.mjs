// Protocol, "POST /api/play/session/reset": a reset, what it takes and what it leaves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { chainOf } from './lib/chain.mjs'
import { rootKey } from './lib/host.mjs'
import { readSnapshot } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { admin, headOf, newKey, openWorld, register, sidOf, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
granted(await register(host, sid, agent, { connectionId: 'c' }))
granted(await host.call('POST', '/mcp/register', { as: owner, sid, body: { name: 'm' } }))
granted(await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'old' }, { as: agent, sid }))
granted(
  await host.rpc('createSpace', { name: 'S', designKey: 'd', ownerDisplayName: 'o' }, { as: owner, sid, reveals: true })
)
granted(
  await host.call('POST', '/proximity-action', {
    as: owner,
    sid,
    body: { fromPlayerId: '__human__', toPlayerId: agent.nodeId, action: 'zone' }
  })
)

const reset = (options) => host.call('POST', '/session/reset', { sid, body: {}, ...options })
let old
let next

test('only the administrator resets', async () => {
  refused(await reset({}), 401, 'credentials_missing')
  refused(await reset({ as: owner }), 403, 'forbidden')
  refused(await reset({ as: { token: 'wrong' } }), 401, 'credentials_invalid')
  refused(await reset({ as: admin, sid: undefined }), 400, 'sid_missing')
  refused(await reset({ as: admin, sid: 'x' }), 403, 'sid_invalid')
})

test('a reset is one rev and one event, after which streams end', async (t) => {
  const stream = await openStream(host, { as: agent, sid })
  t.after(() => stream.close())
  old = await headOf(host)
  const reply = granted(await reset({ as: admin }), { sid: (v) => typeof v === 'string' && v !== sid })
  next = reply.sid
  const { id, data } = await stream.next('session:reset')
  assert.deepEqual([id, data.sid, data.rev, typeof data.reason], [old.seq + 1, next, old.rev + 1, 'string'])
  assert.ok(!('playerChainNotify' in data))
  await stream.rest()
  assert.ok(stream.clean)
  assert.deepEqual(await headOf(host), { rev: old.rev + 1, seq: old.seq + 1 })
  const snapshot = readSnapshot(await snapshotOf(host, owner))
  assert.deepEqual(chainOf(snapshot, rootKey), {
    merkleRootHex: data.merkleRootHex,
    merkleLeafCount: data.merkleLeafCount
  })
  assert.deepEqual([snapshot.sid, snapshot.merkleLeafCount, snapshot.spaces], [next, 2, []])
})

test('the old sid is invalid', async () => {
  refused(await host.call('GET', '/snapshot', { as: owner, sid }), 403, 'sid_invalid')
  refused(await register(host, sid, agent), 403, 'sid_invalid')
  refused(await host.call('GET', '/events', { as: owner, sid }), 403, 'sid_invalid')
  assert.equal(await sidOf(host, owner), next)
})

test('chat and journeys are removed, nodes, keys and aggregates are kept', async () => {
  const { interactions } = granted(await host.rpc('listInteractions', {}, { as: owner }))
  assert.deepEqual(interactions, [])
  assert.deepEqual(granted(await host.rpc('listSpaceNodes', {}, { as: owner })).spaces, [])
  refused(
    await host.call('POST', '/players/heartbeat', {
      as: agent,
      sid: next,
      body: { playerId: agent.nodeId, connectionId: 'c' }
    }),
    400,
    'lease_unknown'
  )
  const { registeredAgent } = granted(await register(host, next, agent))
  assert.equal(registeredAgent.zoneCount, 1)
})

test('a cursor from the reset is valid, an earlier one is not', async (t) => {
  const good = await openStream(host, { as: owner, sid: next, lastEventId: old.seq + 1 })
  t.after(() => good.close())
  assert.equal((await good.next()).event, 'world:player_added')
  const stale = await openStream(host, { as: owner, sid: next, lastEventId: old.seq })
  t.after(() => stale.close())
  const resync = await stale.next('session:resync')
  assert.equal(resync.id, (await headOf(host)).seq)
})

test('a subscriber follows the new session, verified, also across a restart', async (t) => {
  const subscriber = await new Subscriber(host, owner, 'inline').open(next)
  t.after(() => subscriber.close())
  granted(await register(host, next, agent, { name: 'New world' }))
  await subscriber.follow((event) => event.data.player?.name === 'New world')
  await host.kill()
  await host.start()
  assert.equal(await sidOf(host, owner), next)
  assert.deepEqual((await snapshotOf(host, owner)).worldMap, subscriber.snapshot.worldMap)
})

test('a reset needs no body, and its retry resets nothing', async () => {
  const idempotency = newKey()
  const again = () => reset({ as: admin, sid: next, body: undefined, idempotency })
  const first = granted(await again())
  const before = await headOf(host)
  assert.deepEqual(granted(await again()), first)
  assert.deepEqual(await headOf(host), before)
})
