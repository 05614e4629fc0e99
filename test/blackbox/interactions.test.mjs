// Protocol, "Chat lines and journeys": chat lines, recorded, sent as events and listed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { is, listOf } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, headOf, main, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const stranger = await main(host, 3)
for (const each of [agent, second]) granted(await register(host, sid, each))

const say = (payload, as = agent) =>
  host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'x', ...payload }, { as, sid })
const line = {
  playerId: is.hex,
  role: is.oneOf('user', 'assistant', 'tool'),
  text: is.named,
  at: is.time,
  seq: is.count
}
const list = async (payload, as = owner) =>
  granted(await host.rpc('listInteractions', payload, { as }), { interactions: listOf(line), hasMore: is.flag })

test('a chat line is sent and listed as it was recorded', async (t) => {
  const stream = await openStream(host, { as: stranger, sid })
  t.after(() => stream.close())
  for (const role of ['user', 'assistant', 'tool']) {
    const { seq } = granted(await say({ role, text: `  said as ${role}\n` }), { ok: (v) => v === true, seq: is.count })
    const { id, data } = await stream.next('world:interaction')
    const { interactions } = await list({ playerId: agent.nodeId, limit: 1 })
    assert.deepEqual(interactions[0], { playerId: agent.nodeId, role, text: `said as ${role}`, at: data.at, seq })
    assert.deepEqual(
      [id, data.seq, data.playerId, data.role, data.text],
      [seq, seq, agent.nodeId, role, `said as ${role}`]
    )
  }
})

test('text is trimmed of the white space that the protocol defines', async () => {
  granted(await say({ text: '\u3000\ufeff\u2028 \u0085kept\u200b \u00a0\u202f' }))
  const { interactions } = await list({ limit: 1 })
  assert.equal(interactions[0].text, '\u0085kept\u200b')
})

test('a blank chat line is not recorded', async () => {
  const before = await headOf(host)
  for (const text of ['', '   ', '\u3000\ufeff\n']) granted(await say({ text }), { ok: (v) => v === true })
  assert.deepEqual(await headOf(host), before)
})

test('a chat line with a wrong role, text or player is refused', async () => {
  refused(await say({ role: 'system' }), 400, 'body_invalid', 'role')
  refused(await say({ role: undefined }), 400, 'body_invalid', 'role')
  refused(await say({ text: 5 }), 400, 'body_invalid', 'text')
  refused(await say({ text: undefined }), 400, 'body_invalid', 'text')
  refused(await say({ playerId: undefined }), 400, 'body_invalid', 'playerId')
})

test('only an agent and its owner may record a chat line', async () => {
  granted(await say({}, owner))
  granted(await say({}, { ...agent, passwHash: owner.passwHash }))
  refused(await say({}, second), 403, 'forbidden')
  refused(await say({}, stranger), 403, 'forbidden')
  refused(await say({}, admin), 403, 'forbidden')
  refused(await say({}, { ...agent, passwHash: stranger.passwHash }), 401, 'credentials_invalid')
})

test('pages go back from the newest line, which is last', async () => {
  const all = []
  for (let i = 0; i < 25; i++) {
    const as = i % 2 ? agent : second
    all.push(granted(await say({ playerId: as.nodeId, text: `line ${i}` }, as)).seq)
  }
  const seen = []
  let page
  do {
    page = await list({ limit: 10, ...(seen.length > 0 && { beforeSeq: seen[0] }) })
    const seqs = page.interactions.map((entry) => entry.seq)
    assert.deepEqual(
      seqs,
      [...seqs].sort((a, b) => a - b)
    )
    seen.unshift(...seqs)
  } while (page.hasMore)
  assert.equal(new Set(seen).size, seen.length)
  assert.deepEqual(seen.slice(-25), all)
  const mine = await list({ playerId: agent.nodeId, limit: 1000 })
  assert.equal(mine.hasMore, false)
  assert.ok(mine.interactions.every((entry) => entry.playerId === agent.nodeId))
  assert.deepEqual(mine.interactions.filter((entry) => entry.text.startsWith('line')).length, 12)
  assert.deepEqual(await list({ beforeSeq: seen[0] }), { interactions: [], hasMore: false })
})

test('exactly one page has no next page', async () => {
  const count = (await list({ playerId: second.nodeId, limit: 1000 })).interactions.length
  assert.equal((await list({ playerId: second.nodeId, limit: count })).hasMore, false)
  assert.equal((await list({ playerId: second.nodeId, limit: count - 1 })).hasMore, true)
})

test('a page has 100 lines by default', async () => {
  for (let i = 0; i < 80; i++) granted(await say({ text: `more ${i}` }))
  const page = await list({})
  assert.deepEqual([page.interactions.length, page.hasMore], [100, true])
})

test('only valid nodes may list chat lines', async () => {
  for (const as of [agent, stranger, admin]) await list({ limit: 1 }, as)
  refused(await host.rpc('listInteractions', {}), 401, 'credentials_missing')
  refused(await host.rpc('listInteractions', { limit: 'x' }, { as: owner }), 400, 'body_invalid', 'limit')
})
