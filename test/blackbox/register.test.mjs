// Protocol, "POST /api/play/players": registering an agent, again and again, and removing it from the map.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { accounts } from './lib/host.mjs'
import { admin, agentOf, headOf, main, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const other = await main(host, 2)
const foreign = await agentOf(host, other, 3)
const rowOf = async (id) => (await snapshotOf(host, owner)).worldMap.occupants.find((row) => row.agentId === id)

const shape = {
  playerId: (v) => v === agent.nodeId,
  previewUrl: (v) => new URL(v).protocol === 'http:',
  registeredAgent: {
    agentId: (v) => v === agent.nodeId,
    name: (v) => v === 'Ada',
    toolNames: Array.isArray,
    zoneCount: (v) => v === 0,
    yieldCount: (v) => v === 0,
    flagged: (v) => v === false
  },
  connectionId: (v) => v === null,
  leaseTtlSeconds: (v) => v === null,
  enableP2a: (v) => v === 'off'
}

test('the reply without a connection has null lease fields', async () => {
  const { registeredAgent } = granted(await register(host, sid, agent), shape)
  assert.deepEqual(registeredAgent.toolNames, ['chat_tool'])
})

test('the reply with a connection grants the default lease', async () => {
  const reply = granted(await register(host, sid, agent, { connectionId: 'c-1' }))
  assert.deepEqual([reply.connectionId, reply.leaseTtlSeconds], ['c-1', 45])
})

test('a lease is clamped to 5 to 300 s', async () => {
  for (const [asked, given] of [
    [1, 5],
    [5, 5],
    [6, 6],
    [300, 300],
    [301, 300],
    [100000, 300]
  ]) {
    const reply = granted(await register(host, sid, agent, { connectionId: 'c-1', leaseTtlSeconds: asked }))
    assert.equal(reply.leaseTtlSeconds, given)
  }
})

test('an identical registration changes and emits nothing', async () => {
  granted(await register(host, sid, agent, { name: 'Same' }))
  const before = await headOf(host)
  granted(await register(host, sid, agent, { name: 'Same' }))
  assert.deepEqual(await headOf(host), before)
})

test('a changed registration updates the row in its cell and reports the whole row', async (t) => {
  granted(await register(host, sid, agent))
  const before = await rowOf(agent.nodeId)
  const { rev, seq } = await headOf(host)
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  granted(
    await register(host, sid, agent, {
      name: 'Countess',
      toolNames: ['chat_tool', 'assist_sum', 'add'],
      enableP2a: 'on'
    })
  )
  const { id, data } = await stream.next('world:player_added')
  assert.deepEqual([id, data.rev], [seq + 1, rev + 1])
  const row = readRow(data.player)
  assert.deepEqual(row, await rowOf(agent.nodeId))
  assert.deepEqual([row.x, row.y], [before.x, before.y])
  assert.deepEqual(
    [row.name, row.assistToolNames, row.enableP2a, row.nodeId],
    ['Countess', ['assist_sum'], 'on', owner.nodeId]
  )
  assert.equal((await snapshotOf(host, owner)).worldMap.occupants.length, 1)
})

test('the row has the tools and texts of the body', async () => {
  const assistTools = [
    {
      name: 'assist_sum',
      description: 'adds',
      parameters: { type: 'object', properties: { n: { type: ['number', 'null'], default: null } } }
    }
  ]
  const body = { realtimeInstructions: 'be brief', realtimeWebrtc: { clientSecret: 'never shown' }, unknown: 1 }
  const reply = await register(host, sid, agent, {
    ...body,
    agent: { type: 'crew', toolNames: ['chat_tool', 'assist_sum'], assistTools }
  })
  granted(reply)
  const row = readRow(await rowOf(agent.nodeId))
  assert.deepEqual(row.assistTools, assistTools)
  assert.equal(row.realtimeInstructions, 'be brief')
  assert.equal(row.platform, 'langchain')
  assert.equal(row.stationary, true)
  granted(await register(host, sid, agent))
  const next = await rowOf(agent.nodeId)
  assert.ok(!('assistTools' in next) && !('realtimeInstructions' in next))
})

test('tool names are checked', async () => {
  refused(await register(host, sid, agent, { toolNames: ['add'] }), 400, 'chat_tool_missing')
  refused(await register(host, sid, agent, { toolNames: [] }), 400, 'chat_tool_missing')
  const withTool = (name, toolNames) =>
    register(host, sid, agent, {
      agent: { type: 't', toolNames, assistTools: [{ name, description: '', parameters: {} }] }
    })
  refused(await withTool('sum', ['chat_tool', 'sum']), 400, 'body_invalid', 'assistTools')
  refused(await withTool('assist_sum', ['chat_tool']), 400, 'body_invalid', 'assistTools')
})

test('a missing field and a field of the wrong type are named in the refusal', async () => {
  for (const [field, value] of [
    ['name', 5],
    ['name', undefined],
    ['agent', undefined],
    ['agent', []],
    ['agentId', undefined],
    ['agentId', 7],
    ['enableP2a', 'maybe'],
    ['connectionId', 'a b'],
    ['connectionId', 'a:b'],
    ['connectionId', ''],
    ['connectionId', 'a\u0007'],
    ['leaseTtlSeconds', '5'],
    ['realtimeInstructions', 1],
    ['type', 1]
  ]) {
    refused(await register(host, sid, agent, { connectionId: 'c-1', [field]: value }), 400, 'body_invalid', field)
  }
})

test('field names are case-sensitive', async () => {
  refused(await register(host, sid, agent, { name: undefined, Name: 'Ada' }), 400, 'body_invalid', 'name')
})

test('only an agent and its owner may register the agent', async () => {
  granted(await register(host, sid, agent, {}, { as: owner }))
  granted(await register(host, sid, agent, {}, { as: { ...agent, passwHash: owner.passwHash } }))
  refused(await register(host, sid, foreign, {}, { as: owner }), 403, 'forbidden')
  refused(await register(host, sid, agent, {}, { as: foreign }), 403, 'forbidden')
  refused(await register(host, sid, agent, {}, { as: admin }), 403, 'forbidden')
  refused(await register(host, sid, { nodeId: owner.nodeId }, {}, { as: owner }), 403, 'forbidden')
  refused(
    await register(host, sid, agent, {}, { as: { ...agent, passwHash: other.passwHash } }),
    401,
    'credentials_invalid'
  )
})

test('the body may contain the hash and the owner', async () => {
  granted(await register(host, sid, agent, { passwHash: agent.passwHash, mainNodeId: owner.nodeId }, { as: owner }))
  granted(await register(host, sid, agent, { passwHash: owner.passwHash }, { as: owner }))
  refused(await register(host, sid, agent, { passwHash: accounts[4].passwHash }), 401, 'credentials_invalid')
  refused(await register(host, sid, agent, { mainNodeId: other.nodeId }), 403, 'forbidden')
})

test('a disconnect with an old connection removes nothing', async (t) => {
  const leave = (body) =>
    host.call('POST', '/players/disconnect', { as: agent, sid, key: null, body: { playerId: agent.nodeId, ...body } })
  granted(await register(host, sid, agent, { connectionId: 'first' }))
  granted(await register(host, sid, agent, { connectionId: 'second' }))
  const before = await headOf(host)
  granted(await leave({ connectionId: 'first' }), { ok: (v) => v === true })
  assert.deepEqual(await headOf(host), before)
  assert.ok(await rowOf(agent.nodeId))
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  granted(await leave({ connectionId: 'second' }), { ok: (v) => v === true })
  const { data } = await stream.next('world:player_removed')
  assert.deepEqual([data.playerId, data.reason, data.rev], [agent.nodeId, 'disconnect', before.rev + 1])
  assert.equal(await rowOf(agent.nodeId), undefined)
  granted(await register(host, sid, agent, { connectionId: 'third' }))
  granted(await leave({}), { ok: (v) => v === true })
  assert.equal(await rowOf(agent.nodeId), undefined)
})
