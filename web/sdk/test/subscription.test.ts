import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type WorldClient, createClient, playerChainRoot } from '../src/index.js'
import { follow, registration } from './follow.js'
import { Host, Reports } from './host.js'
import { RewritingProxy } from './rewriting_proxy.js'

describe('a subscription', () => {
  let host: Host
  let client: WorldClient
  before(async () => {
    host = await Host.start('--no-repository')
    client = createClient({ baseUrl: host.url })
  })
  after(async () => { await host.end() })

  for (const inline of [true, false]) {
    it(`verifies every event, ${inline ? 'with its rows' : 'fetching the rows'}`, async () => {
      const { updates, events, sub } = follow(client, { inline })
      await updates.until((u) => u.verification === 'verified')
      for (const id of ['a\u{1f600}', 'a\uffff', 'b']) await client.register(registration(id))
      const { id } = await client.registerMcp({ name: 'tools' })
      await client.disconnect({ playerId: 'b' })
      await updates.until((u) => u.event?.kind === 'world:player_removed')
      for (const update of updates.all) {
        assert.notEqual(update.verification, 'mismatch')
        if (inline) assert.equal(update.verification, 'verified')
        assert.deepEqual(playerChainRoot(update.snapshot), { merkleRootHex: update.snapshot.merkleRootHex, merkleLeafCount: update.snapshot.merkleLeafCount })
      }
      const before = updates.all.at(-2)?.snapshot.worldMap.occupants ?? []
      const now = updates.all.at(-1)?.snapshot.worldMap.occupants ?? []
      assert.ok(now.length > 1 && now.every((row) => before.includes(row)), 'unchanged rows are not the same objects')
      const seqs = events.all.map((event) => event.seq ?? 0)
      assert.deepEqual(seqs, [...seqs].sort((a, b) => a - b))
      assert.equal(sub.state.stats.fullReads, 1)
      for (const key of ['a\u{1f600}', 'a\uffff']) await client.disconnect({ playerId: key })
      await client.unregisterMcp(id)
      await sub.close()
      assert.equal(sub.state.connected, false)
    })
  }

  it('continues after a kill of the host, without gaps or repeats', async () => {
    const { updates, events, states, sub } = follow(client)
    await updates.until((u) => u.verification === 'verified')
    const first = sub.state.snapshot?.seq ?? 0
    let written = 0
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5; i++, written++) await client.register(registration('kept', `name ${written}`))
      const reported = states.all.length
      await host.kill()
      await states.until((s) => !s.connected, reported)
      await host.start()
      sub.reconnect()
      for (let i = 0; i < 5; i++, written++) await client.register(registration('kept', `name ${written}`))
    }
    await updates.until((u) => u.snapshot.worldMap.occupants.some((row) => row.name === `name ${written - 1}`))
    const seqs = events.all.map((event) => event.seq)
    assert.deepEqual(seqs, Array.from({ length: written }, (_, i) => first + i + 1))
    assert.ok(updates.all.every((u) => u.verification === 'verified'))
    assert.equal(sub.state.stats.fullReads, 1, 'missed events were not read from the log')
    assert.ok(sub.state.stats.reconnects >= 3)
    await client.disconnect({ playerId: 'kept' })
    await sub.close()
  })

  it('reads the world again for a new session and a log that it cannot resume', async () => {
    await client.register(registration('gone'))
    const { updates, sub } = follow(client)
    const { snapshot } = await updates.until((u) => u.snapshot.worldMap.occupants.length === 1)
    await host.admin().resetSession()
    sub.reconnect()
    const fresh = await updates.until((u) => u.snapshot.sid !== snapshot.sid)
    assert.equal(fresh.verification, 'verified')
    assert.deepEqual(fresh.snapshot.worldMap.occupants, [])
    await sub.close()

    const ahead = follow(client, { after: 2 ** 40 })
    await ahead.updates.until((u) => u.verification === 'verified')
    await ahead.events.until((e) => e.kind === 'session:resync')
    await ahead.sub.close()
  })

  it('leaves a lost world even if another log ends at the same position', async () => {
    const lost = await Host.start('--no-repository')
    const visitor = (): WorldClient => createClient({ baseUrl: lost.url })
    await visitor().register(registration('ada'))
    const { updates, states, sub } = follow(visitor())
    const { snapshot } = await updates.until((u) => u.verification === 'verified')
    const reported = states.all.length
    await lost.kill()
    await states.until((s) => !s.connected, reported)
    lost.forget()
    await lost.start()
    await visitor().register(registration('eve'))
    sub.reconnect()
    const found = await updates.until((u) => u.snapshot.sid !== snapshot.sid)
    assert.equal(found.snapshot.seq, snapshot.seq)
    assert.equal(found.verification, 'verified')
    assert.deepEqual(found.snapshot.worldMap.occupants.map((row) => row.name), ['eve'])
    await sub.close()
    await lost.end()
  })

  it('repairs a copy that differs from the world of the host', async () => {
    const proxy = await RewritingProxy.start(host.url)
    const checked = new Reports<string>()
    const { updates, errors, sub } = follow(createClient({ baseUrl: proxy.url }), {
      onChecked: (event, verification) => { checked.add(`${event.kind} ${verification}`) },
    })
    await updates.until((u) => u.verification === 'verified')
    proxy.change = (text) => text.replaceAll('"honest"', '"forged"')
    await client.register(registration('h', 'honest'))
    const bad = await updates.until((u) => u.event !== undefined)
    assert.equal(bad.verification, 'mismatch')
    proxy.change = undefined
    const healed = await updates.until((u) => u.event === undefined && u.verification === 'verified', updates.all.indexOf(bad))
    assert.equal(healed.snapshot.worldMap.occupants[0]?.name, 'honest')
    assert.equal((await errors.until((e) => e.name === 'MismatchError')).name, 'MismatchError')
    assert.equal(sub.state.stats.heals, 1)
    await client.disconnect({ playerId: 'h' })
    await checked.until((text) => text.startsWith('world:player_removed'))
    assert.deepEqual(checked.all, ['world:player_added mismatch', 'world:player_removed verified'])
    await sub.close()
    await proxy.end()
  })

  it('misses nothing if the connection is lost at any byte', async () => {
    const proxy = await RewritingProxy.start(host.url)
    const { updates, events, states, sub } = follow(createClient({ baseUrl: proxy.url }))
    await updates.until((u) => u.verification === 'verified')
    const first = sub.state.snapshot?.seq ?? 0
    const cuts = [0, 1, 2, 7, 30, 31, 60, 100, 200, 300, 500, 700, 900]
    for (const [i, cut] of cuts.entries()) {
      const reported = states.all.length
      proxy.closeAfter(cut)
      await client.register(registration('cut', `name ${i}`))
      await states.until((s) => !s.connected, reported)
      sub.reconnect()
      await updates.until((u) => u.snapshot.worldMap.occupants.some((row) => row.name === `name ${i}`))
    }
    assert.deepEqual(events.all.map((event) => event.seq), cuts.map((_, i) => first + i + 1))
    assert.ok(updates.all.every((u) => u.verification === 'verified'))
    await sub.close()
    await proxy.end()
  })
})
