// Protocol, "Requests, errors and limits": what is kept of one account, and of all together, and how fast it may come.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, headOf, main, openWorld, register } from './lib/world.mjs'

async function open(...args) {
  const world = await openWorld(...args)
  granted(await register(world.host, world.sid, world.agent))
  const { host, sid } = world
  const say = (agent, text) =>
    host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text }, { as: agent, sid })
  const kept = async () =>
    granted(await host.rpc('listInteractions', {}, { as: admin })).interactions.map(({ text }) => text)
  return { ...world, say, kept }
}

const recordJourney = (host, sid, agent, content) => {
  const journey = {
    steps: [{ type: 'origin', content, messageId: 'm' }],
    ...{ startedAt: '2026-01-02T03:04:05.000Z', completedAt: '2026-01-02T03:04:06.000Z' }
  }
  return host.rpc('recordJourney', { playerId: agent.nodeId, journey }, { as: agent, sid })
}

test('new lines of an account replace its oldest ones, which stay in the stream', async () => {
  const { host, owner, agent, sid, say, kept } = await open('--max-lines', '3', '--max-journeys', '1')
  const second = await agentOf(host, owner, 2)
  granted(await register(host, sid, second))
  const other = await main(host, 3)
  const others = await agentOf(host, other, 4)
  granted(await register(host, sid, others))
  granted(await say(others, 'of another account'))
  const { seq } = await headOf(host)
  const stream = await openStream(host, { as: owner, sid, lastEventId: seq })
  for (let i = 0; i < 6; i++) granted(await say(i % 2 ? second : agent, `line ${i}`))
  assert.deepEqual(await kept(), ['of another account', 'line 3', 'line 4', 'line 5'])
  for (let i = 0; i < 6; i++) assert.equal((await stream.next()).data.text, `line ${i}`)
  stream.close()
  granted(await recordJourney(host, sid, agent, 'first'))
  granted(await recordJourney(host, sid, second, 'second'))
  const { journeys } = granted(await host.rpc('listJourneys', {}, { as: owner }))
  assert.deepEqual(
    journeys.map(({ journey }) => journey.steps[0].content),
    ['second']
  )
  await host.kill()
  await host.start()
  granted(await say(agent, 'line 6'))
  assert.deepEqual(await kept(), ['of another account', 'line 4', 'line 5', 'line 6'])
})

test('bytes: the oldest lines are dropped, and a line beyond the limit is refused', async () => {
  const { host, agent, sid, say, kept } = await open('--max-bytes', '5000', '--max-total-bytes', '7000')
  for (let i = 0; i < 8; i++) granted(await say(agent, `${i}${'x'.repeat(1000)}`))
  assert.deepEqual(
    (await kept()).map((text) => text[0]),
    ['5', '6', '7']
  )
  const before = await headOf(host)
  refused(await recordJourney(host, sid, agent, 'y'.repeat(6000)), 400, 'storage_limit', ' 5000 ')
  assert.deepEqual(await headOf(host), before)
  granted(await say(agent, 'fits'))
})

test('the write rate of an account is limited', async () => {
  const { host, agent, sid, say } = await open('--rate-history', '3000')
  for (let i = 0; i < 3; i++) granted(await recordJourney(host, sid, agent, 'z'.repeat(9000)))
  let last
  for (let i = 0; i < 30 && last?.status !== 429; i++) last = await recordJourney(host, sid, agent, 'z'.repeat(9000))
  refused(last, 429, 'rate_limited', ' 3000 ')
  assert.ok(Number(last.headers['retry-after']) >= 1)
  const other = await main(host, 3)
  const others = await agentOf(host, other, 4)
  granted(await register(host, sid, others))
  granted(await say(others, 'has its own'))
})

test('a write to a large row counts its size, only for its account', async () => {
  const { host, owner, agent, sid } = await open('--rate-history', '4000')
  granted(await recordJourney(host, sid, agent, 'z'.repeat(20_000)))
  const signal = (as, from) =>
    host.call('POST', '/proximity-action', {
      ...{ as, sid, key: null },
      body: { fromPlayerId: from, toPlayerId: agent.nodeId, action: 'zone' }
    })
  let last
  for (let i = 0; i < 30 && last?.status !== 429; i++) last = await signal(owner, owner.nodeId)
  refused(last, 429, 'rate_limited', ' 4000 ')
  assert.ok(Number(last.headers['retry-after']) >= 1)
  const other = await main(host, 3)
  granted(await signal(other, other.nodeId))
})
