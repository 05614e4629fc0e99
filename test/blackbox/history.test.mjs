// Protocol, "Chain reads" and "Events": how far back a host answers, over a kill too.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { granted } from './lib/client.mjs'
import { chainOf } from './lib/chain.mjs'
import { rootKey } from './lib/host.mjs'
import { openStream } from './lib/stream.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { headOf, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()

const changes = 1100
const addPlacement = (name, url) => host.call('POST', '/mcp/register', { as: owner, sid, body: { name, url } })

test('a subscriber catches up after 1,100 missed changes and a kill, verified at each', async (t) => {
  granted(await register(host, sid, agent))
  const away = await new Subscriber(host, owner, 'inline').open(sid)
  const left = await headOf(host)
  away.close()
  const write = async (worker) => {
    for (let i = 0; i < changes / 10; i++) granted(await addPlacement(`m${worker}`, `https://h/${i}`))
  }
  await Promise.all(Array.from({ length: 10 }, (_, worker) => write(worker)))
  await host.kill()
  await host.start()
  assert.equal((await headOf(host)).rev, left.rev + changes)
  away.stream = await openStream(host, { as: owner, sid, query: { inline: 1 }, lastEventId: left.seq })
  t.after(() => away.close())
  await away.follow((event) => event.data.rev === left.rev + changes)
  assert.equal(away.verified, changes)
  assert.deepEqual(away.snapshot.worldMap, (await snapshotOf(host, owner)).worldMap)
})

test('the last 1,024 revs can be read, also after a kill', async () => {
  const { rev } = await headOf(host)
  for (const atRev of [rev, rev - 1, rev - 512, rev - 1023]) {
    const { nodes, ...at } = granted(
      await host.rpc('getPlayerChainNodes', { stableKeys: ['__header__'], atRev }, { as: agent })
    )
    assert.equal(at.rev, atRev)
    assert.equal(nodes[0].sid, sid)
  }
  granted(await addPlacement('m0', 'https://h/next'))
  const old = granted(await host.rpc('getPlayerChainNodes', { stableKeys: ['__header__'], atRev: rev }, { as: agent }))
  const { merkleRootHex, merkleLeafCount } = old
  const before = await snapshotOf(host, owner)
  assert.notDeepEqual({ merkleRootHex, merkleLeafCount }, chainOf(before, rootKey))
})

test('a subscriber that reads nothing delays no other client', async (t) => {
  const steps = [{ type: 'origin', content: 'x'.repeat(120_000), messageId: 'm' }]

  const idle = request(host.url('/events', { sid }), { headers: host.headersOf({ as: owner }), agent: false })
  idle.on('error', () => {}).end()
  t.after(() => idle.destroy())
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  for (let i = 0; i < 80; i++) {
    const journey = {
      steps,
      startedAt: '2026-01-02T03:04:05.678Z',
      completedAt: `2026-01-02T03:04:${10 + (i % 50)}.678Z`
    }
    const { rev } = granted(await host.rpc('recordJourney', { playerId: agent.nodeId, journey }, { as: agent, sid }))
    const { data } = await stream.find((event) => event.event === 'world:journey', 5000)
    assert.equal(data.rev, rev)
  }
})
