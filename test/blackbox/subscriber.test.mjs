// Protocol, "A live, verified copy": four kinds of subscriber follow the same busy world, each with a
// copy of its own that must have the host's root after every event.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted } from './lib/client.mjs'
import { notifyOf } from './lib/chain.mjs'
import { rootKey } from './lib/host.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { agentOf, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const second = await agentOf(host, owner, 2)
const addPlacement = async (name, url) =>
  granted(await host.call('POST', '/mcp/register', { as: owner, sid, body: { name, url } })).id
const removePlacement = async (id) =>
  granted(await host.call('POST', '/mcp/unregister', { as: owner, sid, body: { id } }))
const recordJourney = async (as, content) =>
  granted(
    await host.rpc(
      'recordJourney',
      {
        playerId: as.nodeId,
        journey: {
          steps: [
            { type: 'origin', content, messageId: 'm' },
            { type: 'destination', content, messageId: 'n' }
          ],
          startedAt: '2026-01-02T03:04:05.678Z',
          completedAt: '2026-01-02T03:04:06.000Z'
        }
      },
      { as, sid }
    )
  )
const say = async (as, text) =>
  granted(await host.rpc('recordInteraction', { playerId: as.nodeId, role: 'assistant', text }, { as, sid }))

// makeChanges makes every kind of change in sequence and returns the last seq.
async function makeChanges() {
  const ids = []
  granted(await register(host, sid, agent))
  for (let i = 0; i < 6; i++) ids.push(await addPlacement(`m${i} \u{1F600}`, i % 2 ? `https://h/${i}` : undefined))
  granted(
    await register(host, sid, second, {
      name: 'é\u2028"\\\u0001',
      connectionId: 'c',
      realtimeInstructions: '\u{10FFFF}'
    })
  )
  await recordJourney(agent, 'first')
  await recordJourney(agent, 'first')
  await say(second, 'a line')
  await removePlacement(ids[0])
  await removePlacement(ids[5])
  await addPlacement('m1 \u{1F600}')
  granted(await register(host, sid, agent, { name: 'Renamed', enableP2a: 'on' }))
  granted(await host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } }))
  // Past twenty the map has to grow, or at least to show that it need not.
  ids.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => addPlacement(`crowd ${i}`)))))
  await Promise.all(ids.slice(2).map((id) => removePlacement(id)))
  return (await say(second, 'the end')).seq
}

test('copies from inline, batch, single and plain reads are all verified', async (t) => {
  const kinds = ['inline', 'batch', 'oneByOne', 'plain']
  const subscribers = await Promise.all(
    kinds.map((kind) => new Subscriber(host, kind === 'plain' ? agent : owner, kind).open(sid))
  )
  t.after(() => subscribers.forEach((subscriber) => subscriber.close()))
  const working = makeChanges()
  const seen = await Promise.all(
    subscribers.map(async (subscriber) => {
      const last = subscriber.follow((event) => event.data.text === 'the end')
      return [(await last).id, await working]
    })
  )
  const snapshot = await snapshotOf(host, owner)
  for (const [i, subscriber] of subscribers.entries()) {
    assert.equal(seen[i][0], seen[i][1])
    assert.deepEqual(subscriber.snapshot.worldMap, snapshot.worldMap, kinds[i])
    assert.ok(subscriber.verified > 0)
    if (kinds[i] !== 'plain') assert.equal(subscriber.catchingUp, 0, kinds[i])
    t.diagnostic(`${kinds[i]}: ${subscriber.verified} verified, ${subscriber.catchingUp} catching up`)
  }
})

test('a notify names every leaf that differs, in its order, and one rev is one event', async (t) => {
  const subscriber = await new Subscriber(host, owner, 'inline').open(sid)
  t.after(() => subscriber.close())
  const working = makeChanges()
  for (;;) {
    const before = subscriber.snapshot
    const { event, data } = await subscriber.step(await subscriber.stream.next())
    const named = (data.playerChainNotify?.nodes ?? []).map(({ stableKey, leafIndex, removed }) =>
      removed ? { stableKey, leafIndex, removed } : { stableKey, leafIndex }
    )
    assert.deepEqual(named, notifyOf(before, subscriber.snapshot, rootKey), event)
    assert.equal(data.rev, before.rev + (named.length > 0 ? 1 : 0))
    if (data.text === 'the end') break
  }
  await working
})
