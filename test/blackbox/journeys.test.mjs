// Protocol, "Chat lines and journeys": journeys, with what they change on the map.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { is, listOf, readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { agentOf, headOf, main, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const stranger = await main(host, 3)
granted(await register(host, sid, agent, { toolNames: ['chat_tool', 'search'] }))

const at = { startedAt: '2026-01-02T03:04:05.678Z', completedAt: '2026-01-02T03:04:06.000Z' }
const origin = { type: 'origin', content: 'asked', messageId: 'm1' }
const visit = {
  type: 'structure',
  toolName: 'search',
  toolCallId: 'c1',
  args: { q: null, n: [1.5, 1e21] },
  result: 'found'
}
const destination = { type: 'destination', content: 'answered', messageId: 'm2' }
const record = (steps, as = agent, more) =>
  host.rpc('recordJourney', { playerId: agent.nodeId, journey: { steps, ...at, ...more } }, { as, sid })
const rowOf = async () => (await snapshotOf(host, owner)).worldMap.occupants.find((row) => row.agentId === agent.nodeId)
const point = { x: is.whole, y: is.whole }

test('a journey changes the row, and its event precedes its signal', async (t) => {
  const stream = await openStream(host, { as: stranger, sid })
  t.after(() => stream.close())
  const before = await headOf(host)
  assert.equal((await rowOf()).stationary, true)
  const reply = granted(await record([{ ...origin, unknown: 1 }, visit, destination]), {
    ok: (v) => v === true,
    rev: (v) => v === before.rev + 1
  })
  const event = await stream.next('world:journey')
  const signal = await stream.next('world:agent_signal')
  assert.deepEqual(
    [event.id, signal.id, event.data.rev, signal.data.rev],
    [before.seq + 1, before.seq + 2, reply.rev, reply.rev]
  )
  assert.ok(event.data.playerChainNotify)
  assert.ok(!('playerChainNotify' in signal.data))
  assert.deepEqual(
    [signal.data.playerId, signal.data.kind, signal.data.data],
    [agent.nodeId, 'journey', { stepCount: 3 }]
  )

  const { playerId, journey, path } = event.data
  assert.equal(playerId, agent.nodeId)
  assert.deepEqual(journey, { steps: [origin, visit, destination], ...at })
  assert.equal(path.length, 3)
  const row = readRow(await rowOf())
  assert.equal(row.stationary, false)
  assert.deepEqual(row.lastUpdate, { playerId, journey, path })
})

test('a path has a position within the bounds for each step', async () => {
  const {
    worldMap: { bounds }
  } = await snapshotOf(host, owner)
  for (const { structureId, ...step } of (await rowOf()).lastUpdate.path) {
    assert.ok(
      Object.keys(point).every((axis) => point[axis](step[axis])),
      JSON.stringify(step)
    )
    assert.ok(step.x >= bounds.minX && step.x <= bounds.maxX && step.y >= bounds.minY && step.y <= bounds.maxY)
    assert.equal(structureId, `agent:${agent.nodeId}`)
  }
})

test('the same journey again is reported, and changes nothing', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const { rev } = await headOf(host)
  granted(await record([origin, visit, destination]))
  const { data } = await stream.next('world:journey')
  assert.ok(!('playerChainNotify' in data))
  assert.equal(data.rev, rev)
  assert.equal((await stream.next('world:agent_signal')).data.kind, 'journey')
  assert.deepEqual((await headOf(host)).rev, rev)
})

test('steps are accepted in any combination, at least one', async () => {
  for (const steps of [
    [origin],
    [destination],
    [visit],
    [destination, origin, destination],
    [visit, visit],
    [{ ...visit, args: {}, result: { any: [null] } }]
  ])
    granted(await record(steps))
  for (const steps of [
    [],
    [{ type: 'teleport' }],
    [{}],
    [null],
    [{ type: 'origin', content: 'c' }],
    [{ type: 'destination', messageId: 'm' }],
    [{ type: 'structure', toolName: 't' }],
    'x',
    undefined
  ]) {
    refused(await record(steps), 400, 'body_invalid', 'journey')
  }
  refused(await record([origin], agent, { startedAt: undefined }), 400, 'body_invalid', 'startedAt')
  refused(await record([origin], agent, { completedAt: 5 }), 400, 'body_invalid', 'completedAt')
})

test('a step keeps its times, its error in one line, and its usage', async () => {
  const more = { startedAt: at.startedAt, completedAt: '2026-01-02T03:04:05.9+02:00', usage: { inputTokens: 5, costUsd: 0.1 } }
  granted(await record([{ ...visit, ...more, error: ' no\n such page ' }, { ...origin, error: '\u{1F600}'.repeat(501) }]))
  const { lastUpdate } = readRow(await rowOf())
  const { x, y, structureId, ...placed } = lastUpdate.path[0]
  assert.deepEqual(placed, { ...visit, ...more, error: 'no such page' })
  assert.deepEqual(lastUpdate.journey.steps, [placed, { ...origin, error: '\u{1F600}'.repeat(500) }])
  for (const wrong of [{ startedAt: 'now' }, { completedAt: 5 }, { error: {} }, { usage: { errors: -1 } }])
    refused(await record([{ ...origin, ...wrong }]), 400, 'body_invalid', Object.keys(wrong)[0])
})

test('only an agent and its owner may record a journey', async () => {
  granted(await record([origin], owner))
  granted(await record([origin], { ...agent, passwHash: owner.passwHash }))
  refused(await record([origin], second), 403, 'forbidden')
  refused(await record([origin], stranger), 403, 'forbidden')
})

test('journeys are listed in pages, with the newest last', async () => {
  const recorded = []
  for (let i = 0; i < 7; i++) {
    granted(await record([{ ...origin, content: `journey ${i}` }]))
    recorded.push(`journey ${i}`)
  }
  const list = async (payload) =>
    granted(await host.rpc('listJourneys', payload, { as: second }), {
      journeys: listOf({ playerId: is.hex, journey: is.object, path: Array.isArray, at: is.time, seq: is.count }),
      hasMore: is.flag
    })
  const last = await list({ limit: 4 })
  const before = await list({ limit: 3, beforeSeq: last.journeys[0].seq, playerId: agent.nodeId })
  assert.deepEqual(
    [...before.journeys, ...last.journeys].map((entry) => entry.journey.steps[0].content),
    recorded
  )
  assert.deepEqual([last.hasMore, before.hasMore], [true, true])
  assert.deepEqual(await list({ playerId: second.nodeId }), { journeys: [], hasMore: false })
})

test('an agent that registers again keeps its last journey', async () => {
  granted(await register(host, sid, agent, { name: 'Back again' }))
  const row = readRow(await rowOf())
  assert.equal(row.stationary, false)
  assert.ok(row.lastUpdate)
})
