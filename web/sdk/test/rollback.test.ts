import assert from 'node:assert/strict'
import { cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { WentBackError, createClient, playerChainRoot } from '../src/index.js'
import { FakeHost } from './fake.js'
import { follow, registration } from './follow.js'
import { Host } from './host.js'

describe('a host that went back', () => {
  for (const later of [0, 1, 3, 5]) {
    it(`is reported once, if ${later} events were recorded since an older store was put in place of one with 3 more`, async () => {
      const host = await Host.start('--no-repository')
      const client = createClient({ baseUrl: host.url })
      await client.register(registration('ada'))
      await host.kill()
      const stored = readdirSync(host.folder).filter((file) => file.includes('.playstore'))
      const older = path.join(host.folder, 'older')
      for (const file of stored) cpSync(path.join(host.folder, file), path.join(older, file))
      await host.start()
      const { updates, states, errors, sub } = follow(client)
      await updates.until((u) => u.verification === 'verified')
      for (const id of ['bob', 'carol', 'dave']) await client.register(registration(id))
      await updates.until((u) => u.snapshot.worldMap.occupants.length === 4)
      const reported = states.all.length
      await host.kill()
      await states.until((s) => !s.connected, reported)
      host.forget()
      cpSync(older, host.folder, { recursive: true })
      await host.start()
      for (let i = 0; i < later; i++) await client.register(registration(`new-${i}`))
      sub.reconnect()
      await client.register(registration('zoe'))
      const now = await updates.until((u) => u.verification === 'verified' && u.snapshot.worldMap.occupants.length === later + 2)
      assert.deepEqual(playerChainRoot(now.snapshot).merkleRootHex, now.snapshot.merkleRootHex)
      await errors.until((error) => error instanceof WentBackError)
      assert.equal(errors.all.filter((error) => error instanceof WentBackError).length, 1)
      assert.equal(sub.state.stats.rollbacks, 1)
      await sub.close()
      await host.end()
    })
  }

  it('is reported once its snapshots stay below its stream', async () => {
    const empty = { sid: 's', mainNodeId: 'm', rev: 1, seq: 3, worldMap: { bounds: { minX: 0, minY: 0, maxX: 19, maxY: 11 }, occupants: [] }, spaces: [], mcpServers: [] }
    const host = new FakeHost(({ route }) => (route === 'getWorldSnapshot' ? Response.json({ snapshot: { ...empty, ...playerChainRoot(empty) } }) : undefined))
    const { errors, sub } = follow(host.client())
    const { message } = await errors.until((error) => error instanceof WentBackError)
    assert.equal(message, 'the host went back from event 5 to 3 in the same session')
    assert.deepEqual(errors.all.slice(0, 4).map((error) => error.message), Array(4).fill('the snapshot is of event 3, the stream is at 5'))
    await sub.close()
  })

  it('is reported if it states another root for a verified rev, or sends a lower id', async () => {
    const empty = { sid: 's', mainNodeId: 'm', rev: 1, seq: 5, worldMap: { bounds: { minX: 0, minY: 0, maxX: 19, maxY: 11 }, occupants: [] }, spaces: [], mcpServers: [] }
    const root = playerChainRoot(empty)
    const host = new FakeHost(({ route }) => (route === 'getWorldSnapshot' ? Response.json({ snapshot: { ...empty, ...root } }) : undefined))
    const { updates, errors, sub } = follow(host.client())
    await updates.until((u) => u.verification === 'verified')
    const frame = (id: number, data: object): string => `id: ${id}\nevent: world:interaction\ndata: ${JSON.stringify({ rev: 1, ...root, ...data })}\n\n`
    host.send(frame(6, { merkleLeafCount: 3 }))
    assert.equal((await errors.until((error) => error instanceof WentBackError)).message, 'the host states another root for rev 1 than before, in the same session')
    host.send(frame(7, {}) + frame(2, {}))
    await errors.until((error) => error.message === 'the host went back from event 7 to 2 in the same session')
    assert.equal(sub.state.stats.rollbacks, 2)
    await sub.close()
  })

  it('is reported if a later event has an earlier rev than the copy', async () => {
    const at = (rev: number, seq: number) => ({ sid: 's', mainNodeId: 'm', rev, seq, worldMap: { bounds: { minX: 0, minY: 0, maxX: 19, maxY: 11 }, occupants: [] }, spaces: [], mcpServers: [] })
    const root = playerChainRoot(at(1, 5))
    let now = at(3, 6)
    const host = new FakeHost(({ route }) => (route === 'getWorldSnapshot' ? Response.json({ snapshot: { ...now, ...root } }) : undefined))
    const { updates, errors, sub } = follow(host.client())
    await updates.until((u) => u.verification === 'verified')
    const chat = (seq: number): string => `id: ${seq}\nevent: world:interaction\ndata: ${JSON.stringify({ rev: 2, ...root })}\n\n`
    host.send(chat(6)) // the snapshot includes it
    now = at(2, 7)
    host.send(chat(7))
    assert.equal((await errors.until((error) => error instanceof WentBackError)).message, 'the host went back from rev 3 to 2 in the same session')
    await updates.until((u) => u.snapshot.rev === 2)
    assert.equal(sub.state.stats.rollbacks, 1)
    await sub.close()
  })
})
