// Protocol, "POST /api/play/players": leases. An agent whose program died leaves the map when its lease expires.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { agentOf, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const steady = await agentOf(host, owner, 2)
const lone = await agentOf(host, owner, 3)

const heartbeat = (as, connectionId, more) =>
  host.call('POST', '/players/heartbeat', { as, sid, key: null, body: { playerId: as.nodeId, connectionId, ...more } })

test('a heartbeat belongs to the newest connection', async () => {
  granted(await register(host, sid, steady, { connectionId: 'one', leaseTtlSeconds: 60 }))
  granted(await register(host, sid, steady, { connectionId: 'two', leaseTtlSeconds: 60 }))
  refused(await heartbeat(steady, 'one'), 400, 'lease_unknown')
  refused(await heartbeat(steady, 'never'), 400, 'lease_unknown')
  granted(await heartbeat(steady, 'two'), { ok: (v) => v === true, leaseTtlSeconds: (v) => v === 60 })
})

test('a heartbeat may request another lease term, within the bounds', async () => {
  granted(await register(host, sid, steady, { connectionId: 'two' }))
  for (const [asked, given] of [
    [1, 5],
    [7, 7],
    [1000, 300]
  ]) {
    granted(await heartbeat(steady, 'two', { leaseTtlSeconds: asked }), {
      ok: (v) => v === true,
      leaseTtlSeconds: (v) => v === given
    })
  }
})

test('a heartbeat of an agent without a connection is refused', async () => {
  granted(await register(host, sid, lone))
  refused(await heartbeat(lone, 'any'), 400, 'lease_unknown')
})

test('a heartbeat creates no rev and no event', async () => {
  granted(await register(host, sid, steady, { connectionId: 'two', leaseTtlSeconds: 60 }))
  const before = granted(await host.call('GET', '/session', { as: owner }))
  granted(await heartbeat(steady, 'two'))
  assert.deepEqual(granted(await host.call('GET', '/session', { as: owner })), before)
})

test('an expired lease removes the agent within 5 s; a renewed or dropped one does not', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  granted(await register(host, sid, steady, { connectionId: 's', leaseTtlSeconds: 5 }))
  granted(await register(host, sid, lone, { connectionId: 'l', leaseTtlSeconds: 5 }))
  granted(await register(host, sid, lone, {}))
  const beating = setInterval(
    () =>
      heartbeat(steady, 's').then(
        (reply) => granted(reply),
        (error) => t.diagnostic(error.message)
      ),
    1500
  )
  t.after(() => clearInterval(beating))
  granted(await register(host, sid, agent, { connectionId: 'a', leaseTtlSeconds: 5 }))
  const registered = Date.now()
  const { data } = await stream.find((event) => event.event === 'world:player_removed', 11000)
  const waited = Date.now() - registered
  assert.deepEqual([data.playerId, data.reason], [agent.nodeId, 'lease'])
  assert.ok(data.playerChainNotify.nodes.some((ref) => ref.removed))
  assert.ok(waited >= 4900 && waited <= 10300, `the agent was removed after ${waited} ms`)
  const ids = (await snapshotOf(host, owner)).worldMap.occupants.map((row) => row.agentId)
  assert.deepEqual(ids.sort(), [steady.nodeId, lone.nodeId].sort())
  refused(await heartbeat(agent, 'a'), 400, 'lease_unknown')
})

test('a restarted host gives each lease one full term', async (t) => {
  granted(await register(host, sid, agent, { connectionId: 'a', leaseTtlSeconds: 5 }))
  await host.kill()
  const started = Date.now()
  await host.start()
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const gone = await stream.find(
    (event) => event.event === 'world:player_removed' && event.data.playerId === agent.nodeId,
    12000
  )
  const waited = Date.now() - started
  assert.equal(gone.data.reason, 'lease')
  assert.ok(waited >= 5000, `the agent was removed ${waited} ms after the start`)
})
