// Protocol, "POST /api/play/proximity-action": proximity actions, their counts and their events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { agentOf, headOf, main, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const stranger = await main(host, 3)
for (const each of [agent, second]) granted(await register(host, sid, each))

const act = (action, options = {}) => {
  const { as = owner, from = '__human__', to = agent.nodeId } = options
  return host.call('POST', '/proximity-action', {
    as,
    sid,
    key: null,
    body: { fromPlayerId: from, toPlayerId: to, action }
  })
}
const rowOf = async (id) =>
  readRow((await snapshotOf(host, owner)).worldMap.occupants.find((row) => row.agentId === id))

async function follow(t) {
  const stream = await openStream(host, { as: stranger, sid })
  t.after(() => stream.close())
  return stream
}

test('a zone is counted on the row', async (t) => {
  const stream = await follow(t)
  const { rev } = await headOf(host)
  granted(await act('zone'), { ok: (v) => v === true })
  const { data } = await stream.next('world:agent_signal')
  assert.deepEqual([data.playerId, data.kind, data.rev], [agent.nodeId, 'zone', rev + 1])
  assert.equal(data.data.zoneCount, 1)
  assert.ok(data.playerChainNotify)
  const row = await rowOf(agent.nodeId)
  assert.deepEqual([row.zoneCount, row.yieldCount, row.flagged], [1, 0, false])
  assert.deepEqual({ ...row.onZone, at: undefined }, { zoneCount: 1, flagged: false, at: undefined })
})

test('a yield is counted on the row', async (t) => {
  const stream = await follow(t)
  granted(await act('yield', { as: second, from: second.nodeId }))
  const { data } = await stream.next('world:agent_signal')
  assert.deepEqual([data.kind, data.data.yieldCount], ['yield', 1])
  const row = await rowOf(agent.nodeId)
  assert.deepEqual([row.yieldCount, row.onYield.yieldCount], [1, 1])
})

test('assist and chat are reported and change nothing', async (t) => {
  const stream = await follow(t)
  const { rev } = await headOf(host)
  for (const action of ['assist', 'chat']) {
    granted(await act(action, { as: second, from: second.nodeId }))
    const { data } = await stream.next('world:agent_signal')
    assert.deepEqual(
      [data.playerId, data.kind, data.data, data.rev],
      [agent.nodeId, action, { fromPlayerId: second.nodeId }, rev]
    )
    assert.ok(!('playerChainNotify' in data))
  }
})

test('a caller acts as itself, its agents or a label, on agents of the map', async () => {
  granted(await act('chat', { from: agent.nodeId, to: second.nodeId }))
  granted(await act('chat', { as: stranger }))
  granted(await act('chat', { from: '__anything' }))
  refused(await act('chat', { as: stranger, from: agent.nodeId }), 403, 'forbidden')
  refused(await act('chat', { as: agent, from: second.nodeId }), 403, 'forbidden')
  refused(await act('chat', { to: 'a'.repeat(64) }), 400, 'player_unknown')
  refused(await act('wave'), 400, 'body_invalid', 'action')
  refused(await act('chat', { from: 5 }), 400, 'body_invalid', 'fromPlayerId')
  refused(await host.call('POST', '/proximity-action', { sid, body: {} }), 401, 'credentials_missing')
  refused(await host.call('POST', '/proximity-action', { as: owner, body: {} }), 400, 'sid_missing')
})

test('an agent with 100 zones is flagged', async () => {
  for (let count = (await rowOf(agent.nodeId)).zoneCount; count < 99; count++) granted(await act('zone'))
  assert.deepEqual([(await rowOf(agent.nodeId)).zoneCount, (await rowOf(agent.nodeId)).flagged], [99, false])
  granted(await act('zone'))
  const row = await rowOf(agent.nodeId)
  assert.deepEqual([row.zoneCount, row.flagged, row.onZone.flagged], [100, true, true])
})

test('counts survive removal from the map and a restart', async () => {
  granted(await host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } }))
  await host.kill()
  await host.start()
  const { registeredAgent } = granted(await register(host, sid, agent))
  assert.deepEqual([registeredAgent.zoneCount, registeredAgent.yieldCount, registeredAgent.flagged], [100, 1, true])
  const row = await rowOf(agent.nodeId)
  assert.deepEqual([row.zoneCount, row.yieldCount, row.flagged], [100, 1, true])
  const { agents } = granted(await host.call('GET', '/api/agents', { as: owner }))
  assert.deepEqual(
    agents.map(({ agentId, zoneCount, flagged }) => [agentId, zoneCount, flagged]).find(([id]) => id === agent.nodeId),
    [agent.nodeId, 100, true]
  )
})
