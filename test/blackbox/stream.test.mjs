// Protocol, "Events": the stream itself, its first bytes, its cursor, its end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, headOf, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const say = async (text) =>
  granted(await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text }, { as: agent, sid })).seq
granted(await register(host, sid, agent))

const open = async (t, options) => {
  const stream = await openStream(host, { as: owner, sid, ...options })
  t.after(() => stream.close())
  return stream
}

test('the first flush has only a retry time, a comment and the cursor', async (t) => {
  const { seq } = await headOf(host)
  const stream = await open(t)
  assert.equal(await stream.cursor(), seq)
  assert.equal(stream.retry, 2000)
  assert.equal(stream.comments.length, 1)
  const head = stream.raw.split('\n\n').find((frame) => frame.includes('id:'))
  assert.match(head, /^id: ?\d+$/)
})

test('ids are consecutive, and each event is one line of data', async (t) => {
  const stream = await open(t)
  const from = await stream.cursor()
  for (const text of ['one', 'two\nlines', 'three']) await say(text)
  for (const [i, text] of ['one', 'two\nlines', 'three'].entries()) {
    const { id, data } = await stream.next('world:interaction')
    assert.deepEqual([id, data.text, data.seq], [from + 1 + i, text, from + 1 + i])
  }
  assert.equal(stream.raw.match(/^data:/gm).length, 3)
})

test('an honored cursor is followed by every later event once, then live events', async (t) => {
  const from = await say('before')
  const ids = [await say('a'), await say('b')]
  for (const options of [
    { lastEventId: from },
    { query: { lastEventId: String(from) } },
    { lastEventId: from, query: { lastEventId: '1' } },
    { lastEventId: from, query: { lastEventId: 'x' } }
  ]) {
    const stream = await open(t, options)
    assert.equal(await stream.cursor(), from)
    for (const id of ids) assert.equal((await stream.next('world:interaction')).id, id)
    ids.push(await say('live'))
    assert.equal((await stream.next('world:interaction')).id, ids.at(-1))
  }
})

test('the cursor at the end of the log replays nothing', async (t) => {
  const { seq } = await headOf(host)
  const stream = await open(t, { lastEventId: seq })
  const id = await say('new')
  assert.equal((await stream.next('world:interaction')).id, id)
})

for (const [what, id] of Object.entries({
  'ahead of the log': 1_000_000,
  'not a number': 'abc',
  negative: '-1',
  'a fraction': '1.5',
  'far too large': '9'.repeat(40)
})) {
  test(`a cursor that cannot be honored causes one resync: ${what}`, async (t) => {
    const { rev, seq } = await headOf(host)
    const stream = await open(t, { lastEventId: id })
    const resync = await stream.next('session:resync')
    assert.equal(resync.id, seq)
    assert.deepEqual([resync.data.rev, typeof resync.data.reason], [rev, 'string'])
    assert.ok(!('playerChainNotify' in resync.data))
    const next = await say('after a resync')
    assert.equal((await stream.next('world:interaction')).id, next)
  })
}

test('replayed events have inline nodes too', async (t) => {
  const { seq } = await headOf(host)
  granted(await register(host, sid, agent, { name: 'Inline' }))
  const read = async (query) => (await (await open(t, { lastEventId: seq, query })).next('world:player_added')).data
  const [with_, without] = [await read({ inline: '1' }), await read({})]
  assert.deepEqual(with_.playerChainNodes, [
    { kind: 'occupant', stableKey: with_.playerChainNotify.nodes[0].stableKey, removed: false, occupant: with_.player }
  ])
  assert.ok(!('playerChainNodes' in without))
  assert.deepEqual(without.player, with_.player)
})

test('an event without a change has the current root and no notify', async (t) => {
  const stream = await open(t, { query: { inline: '1' } })
  const { rev } = await headOf(host)
  await say('no change')
  const { data } = await stream.next('world:interaction')
  assert.equal(data.rev, rev)
  assert.ok(!('playerChainNotify' in data) && !('playerChainNodes' in data))
  assert.equal(
    data.merkleRootHex,
    granted(await host.rpc('getWorldSnapshot', {}, { as: admin })).snapshot.merkleRootHex
  )
})

test('the stream of a deleted node ends', async (t) => {
  const deleted = await agentOf(host, owner, 2)
  const stream = await openStream(host, { as: deleted, sid })
  t.after(() => stream.close())
  granted(await host.call('DELETE', '/api/agents', { as: owner, query: { id: deleted.nodeId } }))
  await stream.rest()
  assert.ok(stream.clean)
  refused(await host.call('GET', '/events', { as: deleted, sid }), 401, 'credentials_invalid')
})

test('streams end cleanly at shutdown', async () => {
  const stream = await openStream(host, { as: owner, sid })
  await host.stop()
  await stream.rest()
  assert.ok(stream.clean)
})
