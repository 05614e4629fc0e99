import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GapError, MismatchError, PastWorld, PlayError, type WorldClient, type WorldEvent, createClient, oldestPosition, pastEvents } from '../src/index.js'
import { FakeHost } from './fake.js'
import { follow, registration } from './follow.js'
import { Host } from './host.js'

describe('the past', () => {
  let host: Host
  let client: WorldClient
  const change = async (times: number): Promise<void> => {
    for (let n = 1; n <= times; n++) await client.register(registration('a', `name ${n} of ${times}`))
  }
  before(async () => {
    host = await Host.start('--no-repository')
    client = createClient({ baseUrl: host.url })
    await change(30)
  })
  after(async () => { await host.end() })

  it('is read in parts, back to the first event', async () => {
    const part = await pastEvents(client, { before: 30, limit: 10 })
    assert.deepEqual(part.events.map(({ seq }) => seq), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    assert.deepEqual([part.after, part.first], [19, false])
    const rest = await pastEvents(client, { before: 20, limit: 100 })
    assert.deepEqual([rest.events.length, rest.after, rest.first], [19, 0, true])
    assert.deepEqual(await pastEvents(client, { before: 1, limit: 10 }), { events: [], after: 0, first: true })
  })

  it('is read in several pages, and rejects if the host drops events in between', async () => {
    let dropped = 0
    let drops = 0
    const pages = new FakeHost(({ route, payload }) => {
      if (route !== 'listEvents') return undefined
      const afterSeq = Math.max(Number(payload.afterSeq), dropped)
      dropped += drops
      return Response.json({ events: [{ seq: afterSeq + 1, rev: 1, event: 'world:interaction', at: '', data: {} }], afterSeq, lastSeq: afterSeq + 1, hasMore: true })
    })
    const { events, after: position, first } = await pastEvents(pages.client(), { before: 5, limit: 3 })
    assert.deepEqual([events.map(({ seq }) => seq), position, first], [[2, 3, 4], 1, false])
    drops = 3
    await assert.rejects(pastEvents(pages.client(), { before: 50, limit: 49 }), GapError)
  })

  it('rejects if the host repeats a page', async () => {
    const same = new FakeHost(({ route }) => (route === 'listEvents' ? Response.json({ events: [], afterSeq: 1, lastSeq: 1, hasMore: true }) : undefined))
    await assert.rejects(pastEvents(same.client(), { before: 50, limit: 48 }), GapError)
  })

  it('rejects instead of ending early if the host temporarily answers nothing', async () => {
    const full = new FakeHost(({ route }) => (route === 'listEvents' ? new Response('', { status: 503 }) : undefined))
    await assert.rejects(pastEvents(full.client(), { before: 5000, limit: 100 }), PlayError)
    await assert.rejects(oldestPosition(full.client(), 0, 5000), PlayError)
  })

  it('begins with the session', async () => {
    await host.admin().resetSession()
    client = createClient({ baseUrl: host.url })
    await change(5)
    const { seq = 0 } = await client.session()
    assert.equal(await oldestPosition(client, 0, seq), 31, 'the event of the reset itself')
    const { events, after: position, first } = await pastEvents(client, { before: seq, limit: 100 })
    assert.deepEqual([events.map((event) => event.seq), position, first], [[32, 33, 34, 35], 31, true])
  })

  it('is verified event by event, starting with the oldest map', async () => {
    const { events, hasMore } = await client.listEvents({ limit: 1000 })
    assert.deepEqual([events.length, hasMore], [5, false])
    let world = await client.pastWorld(0)
    assert.deepEqual([world.snapshot.worldMap.occupants.length, world.proved], [0, false])
    const happened = events.map(({ seq, event, data }): WorldEvent => ({ seq, kind: event, data: data as WorldEvent['data'] }))
    for (const event of happened) world = world.after(event)
    const now = await client.snapshot()
    assert.deepEqual([world.proved, world.snapshot.merkleRootHex, world.rev], [true, now.merkleRootHex, now.rev])
    assert.ok(events.every(({ at }) => !Number.isNaN(Date.parse(at))))
    // A map that differs from the host's is detected, even if only a name was changed.
    const start = await client.pastWorld(0)
    const [first, second] = happened
    assert.ok(first !== undefined && second !== undefined)
    const changed = JSON.parse(JSON.stringify(first).replaceAll('name 1 of 5', 'another name')) as WorldEvent
    assert.throws(() => start.after(changed), MismatchError)
    assert.throws(() => start.after(second), /events are missing/)
    assert.throws(() => PastWorld.of({ ...now, merkleLeafCount: 99 }), MismatchError)
  })

  it('has a proof for each row, which fails for a changed reply', async () => {
    const { worldMap: { occupants }, merkleRootHex } = await client.snapshot()
    const key = `agent:${occupants[0]?.kind === 'agent' ? `${occupants[0].nodeId}:${occupants[0].agentId}` : ''}`
    const proved = await client.provedLeaf(key)
    assert.deepEqual([proved.merkleRootHex, proved.leafIndex, proved.levels.length], [merkleRootHex, 2, 2])
    await assert.rejects(client.provedLeaf('agent:nobody:x'), /404|no leaf/)
    for (const edit of [(text: string) => text.replace('name 5', 'name 6'), (text: string) => text.replace('"right"', '"left"'), (text: string) => text.replace('"leafIndex":2', '"leafIndex":1')]) {
      const changing: typeof fetch = async (...args) => new Response(edit(await (await fetch(...args)).text()), { headers: { 'content-type': 'application/json' } })
      await assert.rejects(createClient({ baseUrl: host.url, fetch: changing }).provedLeaf(key), 'the changed reply was accepted')
    }
  })

  it('has no gap after the program reconnects', async () => {
    const { updates, events, states, sub } = follow(client)
    await updates.until((update) => update.verification === 'verified')
    const reported = states.all.length
    sub.reconnect(true)
    await states.until((state) => !state.connected, reported)
    await change(2)
    await updates.until((update) => update.snapshot.worldMap.occupants.some((row) => row.name === 'name 2 of 2'))
    assert.equal(events.all.length, 2)
    await sub.close()
  })

  it('closes the connection to a host that is silent for too long', async () => {
    const { states, errors, sub } = follow(client, { silenceMs: 50 })
    await states.until((state) => !state.connected && state.retryAt !== undefined)
    assert.match(errors.all[0]?.message ?? '', /nothing arrived for 0\.05 s/)
    await sub.close()
  })
})
