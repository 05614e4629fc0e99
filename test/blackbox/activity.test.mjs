// Protocol, "What an agent does now": the activity in a row, and the agent's parent and group.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { granted, refused } from './lib/client.mjs'
import { is, readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { admin, agentOf, headOf, main, newKey, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const stranger = await main(host, 3)

const act = (changes, { as = agent, of = agent, ...more } = {}) =>
  host.rpc('recordActivity', { playerId: of.nodeId, ...changes }, { as, sid, key: null, ...more })
const rowOf = async (of = agent) => (await snapshotOf(host, owner)).worldMap.occupants.find((row) => row.agentId === of.nodeId)
const recorded = { ok: (v) => v === true, rev: is.count }

test('a host with activities says so', async () => {
  assert.ok(granted(await host.call('GET', '/session', { as: owner })).capabilities.includes('activity'))
})

test('an activity replaces the one before it, in one rev with one event', async (t) => {
  granted(await register(host, sid, agent))
  assert.ok(!('activity' in readRow(await rowOf())))
  const subscribers = await Promise.all(['inline', 'batch', 'oneByOne', 'plain'].map((kind) => new Subscriber(host, stranger, kind).open(sid)))
  t.after(() => subscribers.forEach((subscriber) => subscriber.close()))
  const before = await headOf(host)
  const usage = { inputTokens: 1200, outputTokens: 0, costUsd: 0.1, toolCalls: 3, errors: 1 }
  const sent = { state: 'working', text: ' Editing\n\u2028 commit.go ', toolName: 'edit', usage, unknown: 1 }
  const { rev } = granted(await act(sent), recorded)
  assert.equal(rev, before.rev + 1)
  const { activity } = readRow(await rowOf())
  assert.deepEqual(activity, { state: 'working', text: 'Editing commit.go', toolName: 'edit', since: activity.since, usage })
  for (const subscriber of subscribers) {
    const { id, data } = await subscriber.follow((event) => event.event === 'world:activity')
    assert.deepEqual([id, data.rev, data.playerId, data.activity], [before.seq + 1, rev, agent.nodeId, activity])
    assert.deepEqual(
      data.playerChainNotify.nodes.map((node) => node.stableKey),
      [`agent:${owner.nodeId}:${agent.nodeId}`]
    )
    assert.deepEqual(subscriber.snapshot.worldMap.occupants.find((row) => row.agentId === agent.nodeId).activity, activity)
  }
  assert.deepEqual(await headOf(host), { rev, seq: before.seq + 1 })

  granted(await act({ state: 'working', text: '' }, { as: owner }))
  assert.deepEqual((await rowOf()).activity, { state: 'working', since: activity.since })
  granted(await act({ state: 'waiting', usage: {} }, { as: { ...agent, passwHash: owner.passwHash } }))
  const next = (await rowOf()).activity
  assert.equal(next.state, 'waiting')
  assert.ok(next.since > activity.since)
})

test('what equals the row changes nothing, whatever idempotency key it has', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const before = await headOf(host)
  const key = newKey()
  for (const idempotency of [undefined, key, key, 'two words', 'k'.repeat(200)]) {
    assert.equal(granted(await act({ state: 'waiting', usage: {} }, { idempotency })).rev, before.rev)
  }
  assert.deepEqual(await headOf(host), before)
  const rev = granted(await act({ state: 'done' }, { idempotency: key })).rev
  assert.equal(rev, before.rev + 1)
  assert.equal((await stream.next('world:activity')).data.rev, rev)
})

test('only the agent and its owner may report an activity, over the current connection', async () => {
  granted(await register(host, sid, agent, { connectionId: 'one' }))
  granted(await register(host, sid, agent, { connectionId: 'two' }))
  granted(await register(host, sid, second))
  const { activity } = await rowOf()
  const idle = { state: 'idle' }
  for (const as of [second, stranger, admin]) refused(await act(idle, { as }), 403, 'forbidden')
  refused(await act(idle, { as: {} }), 401, 'credentials_missing')
  refused(await act(idle, { sid: undefined }), 400, 'sid_missing')
  refused(await act(idle, { sid: newKey() }), 403, 'sid_invalid')
  refused(await act({ ...idle, connectionId: 'one' }), 400, 'lease_unknown')
  refused(await act({ ...idle, connectionId: 'two' }, { as: second, of: second }), 400, 'lease_unknown')
  assert.deepEqual((await rowOf()).activity, activity)
  granted(await act({ ...idle, connectionId: 'two' }), recorded)
})

test('wrong values are refused and name their field', async () => {
  const before = await headOf(host)
  for (const [changes, naming] of [
    [{}, 'state'],
    [{ state: 'busy' }, 'state'],
    [{ state: 'Working' }, 'state'],
    [{ state: 'idle', text: 1 }, 'text'],
    [{ state: 'idle', toolName: '' }, 'toolName'],
    [{ state: 'idle', toolName: 'x'.repeat(129) }, 'toolName'],
    [{ state: 'idle', usage: [] }, 'usage'],
    [{ state: 'idle', usage: { inputTokens: -1 } }, 'inputTokens'],
    [{ state: 'idle', usage: { costUsd: '1' } }, 'costUsd']
  ]) {
    refused(await act(changes), 400, 'body_invalid', naming)
  }
  assert.deepEqual(await headOf(host), before)
})

test('a long text is cut at 200 code points', async () => {
  granted(await act({ state: 'working', text: '\u{1F600}'.repeat(201) }, { as: second, of: second }))
  assert.equal((await rowOf(second)).activity.text, '\u{1F600}'.repeat(200))
})

test('a registration sets parent and group, or removes them, and keeps the activity', async () => {
  granted(await act({ state: 'failed', text: 'Timeout' }))
  const { activity } = await rowOf()
  const more = { parentId: ` ${second.nodeId.toUpperCase()}`, group: 'shop' }
  granted(await register(host, sid, agent, more))
  const { rev } = await headOf(host)
  granted(await register(host, sid, agent, more))
  const row = readRow(await rowOf())
  assert.deepEqual([row.parentId, row.group, row.activity], [second.nodeId, 'shop', activity])
  assert.equal((await headOf(host)).rev, rev)
  granted(await register(host, sid, agent))
  const bare = readRow(await rowOf())
  assert.deepEqual(['parentId' in bare, 'group' in bare, bare.activity], [false, false, activity])
  refused(await register(host, sid, agent, { group: 'x'.repeat(65) }), 400, 'body_invalid', 'group')
  refused(await register(host, sid, agent, { parentId: 'a:b' }), 400, 'body_invalid', 'parentId')
})

test('an activity survives a restart, in the row and in the log', async () => {
  const { activity } = await rowOf()
  const { rev } = await headOf(host)
  await host.kill()
  await host.start()
  assert.deepEqual((await rowOf()).activity, activity)
  const stableKey = `agent:${owner.nodeId}:${agent.nodeId}`
  const { node } = granted(await host.rpc('getPlayerChainNode', { stableKey, atRev: rev }, { as: owner }))
  assert.deepEqual(node.occupant.activity, activity)
  const { events } = granted(await host.rpc('listEvents', { limit: 1000 }, { as: owner }))
  const states = events.filter((event) => event.event === 'world:activity' && event.data.playerId === agent.nodeId)
  assert.deepEqual(
    states.map((event) => event.data.activity.state),
    ['working', 'working', 'waiting', 'done', 'idle', 'failed']
  )
})

test('leaving the map ends an activity', async () => {
  const leave = () => host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } })
  granted(await leave())
  refused(await act({ state: 'idle' }), 400, 'player_unknown')
  granted(await register(host, sid, agent))
  assert.ok(!('activity' in readRow(await rowOf())))
})

test('an agent changes its activity ten times at once, and then twice a second', async () => {
  let reply
  let changes = 0
  const report = () => act({ state: 'waiting', text: `change ${changes}` }, { as: second, of: second })
  granted(await register(host, sid, second))
  for (reply = await report(); reply.status === 200 && changes < 100; reply = await report()) changes++
  refused(reply, 429, 'rate_limited', 'limit of 2 changes')
  assert.ok(changes >= 9 && changes < 50, `${changes} changes were accepted at once`)
  const retryAfter = Number(reply.headers['retry-after'])
  assert.equal(retryAfter, 1)
  granted(await act({ state: 'waiting', text: `change ${changes - 1}` }, { as: second, of: second }))
  await pause(retryAfter * 1000)
  granted(await report())
})

test('working and idle wait for the limit of the world, the other states do not', async () => {
  const { host, owner, agent, sid } = await openWorld('--rate-activity', '1')
  const others = [await agentOf(host, owner, 2), await agentOf(host, owner, 3), await agentOf(host, owner, 4)]
  const report = (of, state, text) => host.rpc('recordActivity', { playerId: of.nodeId, state, text }, { as: of, sid, key: null })
  for (const of of [agent, ...others]) granted(await register(host, sid, of))
  let reply
  for (let i = 0; i < 8 && reply?.status !== 429; i++) reply = await report(agent, i % 2 ? 'idle' : 'working', `change ${i}`)
  refused(reply, 429, 'rate_limited', '--rate-activity')
  refused(await report(others[0], 'working'), 429, 'rate_limited', 'idle, 1 a second')
  for (const [i, state] of ['waiting', 'done', 'failed'].entries()) granted(await report(others[i], state))
})
