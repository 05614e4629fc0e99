// Protocol, "Events" and "Idempotency, and reading your own writes": what was answered is there after a kill, and a
// stream goes on where it stopped, nothing lost, nothing twice.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { granted } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { headOf, openWorld, register, sidOf, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const addPlacement = (name) => host.call('POST', '/mcp/register', { as: owner, sid, body: { name } })

test('a world is the same after a kill', async () => {
  granted(await register(host, sid, agent, { connectionId: 'c' }))
  granted(await addPlacement('kept'))
  granted(
    await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'kept' }, { as: agent, sid })
  )
  // A line changes no row: it has a seq, and no rev by which a snapshot could be asked for.
  for (const server of host.servers) await host.level(server)
  const before = await snapshotOf(host, owner)
  await host.kill()
  await host.start()
  assert.equal(await sidOf(host, owner), sid)
  assert.deepEqual(await snapshotOf(host, owner), before)
  granted(
    await host.call('POST', '/players/heartbeat', {
      as: agent,
      sid,
      body: { playerId: agent.nodeId, connectionId: 'c' }
    })
  )
  const { interactions } = granted(await host.rpc('listInteractions', {}, { as: agent }))
  assert.deepEqual(
    interactions.map((line) => line.text),
    ['kept']
  )
})

test('acknowledged writes survive a kill during other writes', async () => {
  const answered = []
  let killed
  const write = async (worker) => {
    for (let i = 0; i < 12; i++) {
      const name = `${worker}-${i % 6}`
      const reply = await addPlacement(name)
      if (reply.status !== 200) return
      answered.push(reply.json.id)
      if (answered.length === 30) killed = host.kill()
    }
  }
  await Promise.all(
    Array.from({ length: 4 }, (_, worker) =>
      write(worker).catch((error) => assert.match(error.code ?? '', /^(ECONN|EPIPE|UND_)/))
    )
  )
  await killed
  assert.ok(answered.length >= 30)
  await host.start()
  const ids = new Set((await snapshotOf(host, owner)).mcpServers.map((server) => server.id))
  assert.deepEqual(
    answered.filter((id) => !ids.has(id)),
    []
  )
})

test('a subscriber resumes across a kill: same events, same bytes, verified', async (t) => {
  const subscriber = await new Subscriber(host, owner, 'inline').open(sid)
  const whole = await openStream(host, { as: owner, sid, query: { inline: 1 } })
  const from = await whole.cursor()
  for (const name of ['r1', 'r2', 'r3']) granted(await addPlacement(name))
  const first = await subscriber.follow((event) => event.data.mcp?.name === 'r1')
  const received = [await whole.next(), await whole.next(), await whole.next()]
  subscriber.close()
  await host.kill()
  await host.start()
  await whole.rest()

  granted(await addPlacement('r4'))
  subscriber.stream = await openStream(host, { as: owner, sid, query: { inline: 1 }, lastEventId: first.id })
  t.after(() => subscriber.close())
  assert.equal(await subscriber.stream.cursor(), first.id)
  const seen = []
  await subscriber.follow((event) => seen.push(event.id) && event.data.mcp?.name === 'r4')
  assert.deepEqual(
    seen,
    [1, 2, 3].map((step) => first.id + step)
  )

  const again = await openStream(host, { as: owner, sid, query: { inline: 1 }, lastEventId: from })
  t.after(() => again.close())
  for (const { id, event, text } of received) {
    const replayed = await again.next()
    assert.deepEqual({ id: replayed.id, event: replayed.event, text: replayed.text }, { id, event, text })
  }
})

test('seq and rev continue after a restart', async () => {
  const before = await headOf(host)
  await host.stop()
  await host.start()
  assert.deepEqual(await headOf(host), before)
  granted(await addPlacement('next'))
  assert.deepEqual(await headOf(host), { rev: before.rev + 1, seq: before.seq + 1 })
})

test('two thousand events are replayed in order', async (t) => {
  const { seq } = await headOf(host)
  // Where hosts share a store that is slow for a moment, the outcome of a write may
  // be unknown: it is asked for again, with the same key, and counts once.
  const say = async () => {
    const as = { as: agent, sid, idempotency: randomUUID() }
    for (;;) {
      const reply = await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'tool', text: 'x' }, as)
      if (reply.json?.code !== 'store_unavailable') return granted(reply)
    }
  }
  const talk = async (times) => {
    for (let i = 0; i < times; i++) await say()
  }
  await Promise.all(Array.from({ length: 20 }, () => talk(100)))
  const stream = await openStream(host, { as: owner, sid, lastEventId: seq })
  t.after(() => stream.close())
  for (let id = seq + 1; id <= seq + 2000; id++) assert.equal((await stream.next('world:interaction')).id, id)
})
