import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type JsonObject, type WorldClient, createClient, isEvent } from '../src/index.js'
import { Host } from './host.js'

/** Returns a client with the cookie of one viewer, as a browser stores it. */
async function viewer(host: Host): Promise<WorldClient> {
  let kept = ''
  const client = createClient({
    baseUrl: host.url, credentials: { cookie: true },
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers)
      if (kept !== '') headers.set('cookie', kept)
      const response = await fetch(input, { ...init, headers })
      kept = response.headers.get('set-cookie')?.split(';')[0] ?? kept
      return response
    },
  })
  assert.equal((await client.watchSession()).scope, 'act')
  return client
}

describe('a person on the map', () => {
  let host: Host
  before(async () => { host = await Host.start() })
  after(async () => { await host.end() })

  it('comes, renews, waves and leaves', async () => {
    const [ada, bob] = [await viewer(host), await viewer(host)]
    const asked = await ada.putPerson({ name: 'Ada', x: 3, y: 4 })
    const { person } = asked
    assert.deepEqual(asked, { person: { kind: 'human', id: person.id, name: 'Ada', x: 3, y: 4 }, leaseTtlSeconds: 45 })
    const other = (await bob.putPerson({ name: 'Bob', x: 6, y: 4, leaseTtlSeconds: 15 })).person
    const before = await ada.session()
    assert.deepEqual((await ada.putPerson({ name: 'Ada', x: 3, y: 4 })).person, person)
    assert.equal((await ada.session()).seq, before.seq)
    await ada.proximityAction({ fromPlayerId: person.id, toPlayerId: other.id, action: 'chat' })
    await assert.rejects(bob.proximityAction({ fromPlayerId: person.id, toPlayerId: other.id, action: 'chat' }), { status: 403, code: 'forbidden' })
    assert.equal((await ada.deletePerson()).ok, true)
    assert.equal((await ada.deletePerson()).ok, false)

    const { events } = await bob.listEvents()
    assert.deepEqual(events.map(({ event }) => event), ['world:person_added', 'world:person_added', 'world:agent_signal', 'world:person_removed'])
    const [added, , , removed] = events.map(({ event, data, seq }) => ({ kind: event, data: data as JsonObject, seq }))
    assert.ok(added !== undefined && isEvent(added, 'world:person_added') && added.data.person.name === 'Ada')
    assert.ok(removed !== undefined && isEvent(removed, 'world:person_removed') && removed.data.personId === person.id)
  })

  it('cannot be added without a cookie', async () => {
    const { node, apiKey } = await host.account()
    const client = createClient({ baseUrl: host.url, credentials: node, apiKey })
    await assert.rejects(client.putPerson({ name: 'Eve', x: 1, y: 1 }), { status: 403, code: 'forbidden' })
  })
})
