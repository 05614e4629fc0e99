import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type WorldClient, createClient, oldestPosition, pastEvents } from '../src/index.js'
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

  it('is read a part at a time, back to the first event', async () => {
    const part = await pastEvents(client, { before: 30, limit: 10 })
    assert.deepEqual(part.events.map(({ seq }) => seq), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    assert.deepEqual([part.after, part.first], [19, false])
    const rest = await pastEvents(client, { before: 20, limit: 100 })
    assert.deepEqual([rest.events.length, rest.after, rest.first], [19, 0, true])
    assert.deepEqual(await pastEvents(client, { before: 1, limit: 10 }), { events: [], after: 0, first: true })
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

  it('is also what a connection that is made anew goes on from', async () => {
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

  it('is reported as lost where the host is silent for too long', async () => {
    const { states, errors, sub } = follow(client, { silenceMs: 50 })
    await states.until((state) => !state.connected && state.retryAt !== undefined)
    assert.match(errors.all[0]?.message ?? '', /nothing arrived for 0\.05 s/)
    await sub.close()
  })
})
