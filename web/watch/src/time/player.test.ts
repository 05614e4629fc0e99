import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListEventsReply, PastWorld, WorldClient } from '@playctl/sdk'
import type { Happening } from '../world/events.js'
import type { WorldStore } from '../world/store.js'
import { Player } from './player.js'

const world = { rev: 0, snapshot: {}, proved: true, after: () => world } as unknown as PastWorld
const line = (seq: number): Happening => ({ kind: 'world:interaction', seq, data: { rev: 0, playerId: 'ada' }, at: seq, past: false })

const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })

/** Returns a player of a host that answers when the test allows it, with the player's output. */
function played(): { player: Player, shown: unknown[], happen: (event: Happening) => void, answer: (...seqs: readonly number[]) => Promise<void> } {
  const shown: unknown[] = []
  const asked: ((reply: ListEventsReply) => void)[] = []
  let happen: (event: Happening) => void = () => undefined
  const client = {
    listEvents: () => new Promise<ListEventsReply>((resolve) => { asked.push(resolve) }),
    pastWorld: () => Promise.resolve(world),
  } as unknown as WorldClient
  const store = {
    client,
    listen: (listener: (event: Happening) => void) => { happen = listener; return () => undefined },
    showThen: ({ seq }: { readonly seq: number }) => { shown.push(seq) },
    showNow: () => { shown.push('now') },
    replay: ({ seq }: Happening) => { shown.push(`event ${seq}`) },
    recording: {},
  } as unknown as WorldStore
  const answer = async (...seqs: readonly number[]): Promise<void> => {
    const events = seqs.map((seq) => ({ seq, rev: 0, event: 'world:interaction', at: new Date(seq).toISOString(), playerId: 'ada', data: { rev: 0, playerId: 'ada' } }))
    asked.shift()?.({ events, hasMore: false, lastSeq: seqs.at(-1) ?? 0 } as unknown as ListEventsReply)
    await settled()
  }
  return { player: new Player(store, client), shown, happen: (event) => { happen(event) }, answer }
}

describe('the player of the past', () => {
  it('has events that arrive while it loads the past, once', async () => {
    const { player, happen, answer } = played()
    const loaded = player.load()
    happen(line(3))
    happen(line(4))
    await answer(1, 2, 3)
    await loaded
    happen(line(5))
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [1, 2, 3, 4, 5])
  })

  it('reloads when it has far more events than a host keeps', async () => {
    const { player, happen, answer } = played()
    const loaded = player.load()
    await answer(1)
    await loaded
    const { source } = player
    for (let seq = 2; seq < 40_000; seq += 1) happen(line(seq))
    assert.equal(player.source, source)
    happen(line(40_000))
    await answer(39_999, 40_000)
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [39_999, 40_000])
  })

  it('keeps a bounded number of events while a past moment is shown', async () => {
    const { player, happen, answer } = played()
    const loaded = player.load()
    await answer(1)
    await loaded
    const shown = player.go(0)
    await settled()
    await answer(1)
    await shown
    for (let seq = 2; seq <= 90_000; seq += 1) happen(line(seq))
    assert.equal(player.place.value, 0)
    assert.equal(player.source.instants.length, 80_000)
    player.live()
    happen(line(90_001))
    await answer(90_000, 90_001)
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [90_000, 90_001])
  })

  it('shows the present while a moment is still being read', async () => {
    const { player, shown, answer } = played()
    const loaded = player.load()
    await answer(1, 2)
    await loaded
    const gone = player.go(1)
    await settled()
    player.live()
    await answer(1, 2)
    await gone
    assert.deepEqual(shown, ['now'])
    assert.equal(player.place.value, undefined)
  })
})
