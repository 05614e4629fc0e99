// The extension person: a viewer who may act has a row on the map.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { is, readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { admin, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
granted(await register(host, sid, agent))

async function newViewer() {
  const reply = await host.call('POST', new URL('/play/watch/session', host.base).href, { body: {} })
  granted(reply)
  return { headers: { cookie: reply.headers['set-cookie'][0].split('; ')[0] } }
}
const putPerson = (viewer, body) => host.call('PUT', '/person', { sid, key: null, body, ...viewer })
const leave = (viewer) => host.call('DELETE', '/person', { sid, key: null, ...viewer })
const given = { person: (v) => Boolean(readRow(v)), leaseTtlSeconds: is.count }
const people = async () => (await snapshotOf(host, owner)).worldMap.occupants.filter((row) => row.kind === 'human')

test('a person is added, renews, meets an agent and leaves', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const viewer = await newViewer()
  const { person, leaseTtlSeconds } = granted(await putPerson(viewer, { name: 'Ada', x: 2, y: 3 }), given)
  assert.equal(leaseTtlSeconds, 45)
  assert.match(person.id, /^[0-9a-f]{32}$/)
  assert.deepEqual({ ...person, x: 0, y: 0 }, { kind: 'human', id: person.id, name: 'Ada', x: 0, y: 0 })
  assert.deepEqual((await stream.next('world:person_added')).data.person, person)
  assert.deepEqual(await people(), [person])

  const { rev, seq } = await snapshotOf(host, owner)
  const again = granted(await putPerson(viewer, { name: 'Ada', x: person.x, y: person.y, leaseTtlSeconds: 1e9 }), given)
  assert.deepEqual(again, { person, leaseTtlSeconds: 300 })
  const after = await snapshotOf(host, owner)
  assert.deepEqual([after.rev, after.seq], [rev, seq])
  const meet = (from, to, action, as) => host.call('POST', '/proximity-action', { sid, key: null, body: { fromPlayerId: from, toPlayerId: to, action }, ...as })
  granted(await meet(person.id, agent.nodeId, 'chat', viewer))
  const { data } = await stream.next('world:agent_signal')
  assert.deepEqual([data.playerId, data.kind, data.data], [agent.nodeId, 'chat', { fromPlayerId: person.id }])
  refused(await meet(person.id, agent.nodeId, 'chat', await newViewer()), 403, 'forbidden')
  refused(await meet(person.id, agent.nodeId, 'chat', { as: owner }), 403, 'forbidden')

  granted(await leave(viewer), { ok: (v) => v === true })
  const gone = await stream.next('world:person_removed')
  assert.deepEqual([gone.data.personId, gone.data.reason], [person.id, 'disconnect'])
  granted(await leave(viewer), { ok: (v) => v === false })
  refused(await meet(person.id, agent.nodeId, 'chat', viewer), 400, 'player_unknown')
  assert.deepEqual(await people(), [])
})

test('a person that moves again within 2 s is refused with Retry-After', async () => {
  const viewer = await newViewer()
  let reply
  for (let x = 0; x < 15 && reply?.status !== 429; x++) reply = await putPerson(viewer, { name: 'Cy', x, y: 8 })
  refused(reply, 429, 'rate_limited')
  assert.match(String(reply.headers['retry-after']), /^[12]$/)
  granted(await leave(viewer))
})

test('a verified copy contains people', async (t) => {
  const subscriber = await new Subscriber(host, owner, 'inline').open(sid)
  t.after(() => subscriber.close())
  const { person } = granted(await putPerson(await newViewer(), { name: 'Bob', x: 4, y: 4 }), given)
  await subscriber.follow((event) => event.event === 'world:person_added')
  assert.ok(subscriber.snapshot.worldMap.occupants.some((row) => row.id === person.id))
  granted(await host.call('POST', '/occupants/remove', { as: admin, sid, body: { stableKey: `human:${person.id}` } }))
  const { data } = await subscriber.follow((event) => event.event === 'world:person_removed')
  assert.equal(data.reason, 'admin')
})

test('only viewers may add a person, at a cell of the map', async () => {
  const row = { name: 'Eve', x: 1, y: 1 }
  for (const as of [owner, agent, admin]) refused(await host.call('PUT', '/person', { as, sid, body: row }), 403, 'forbidden')
  refused(await host.call('PUT', '/person', { as: {}, sid, body: row }), 401, 'credentials_missing')
  const viewer = await newViewer()
  const { bounds } = (await snapshotOf(host, owner)).worldMap
  refused(await putPerson(viewer, { ...row, x: bounds.maxX + 1 }), 400, 'body_invalid', 'x')
  refused(await putPerson(viewer, { ...row, y: -1 }), 400, 'body_invalid', 'y')
  refused(await putPerson(viewer, { ...row, name: '' }), 400, 'body_invalid', 'name')
  granted(await putPerson(viewer, { ...row, x: bounds.maxX, y: bounds.maxY }), given)
})
