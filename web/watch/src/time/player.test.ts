import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListEventsReply, PastWorld, WorldClient } from '@playctl/sdk'
import type { TimedEvent } from '../world/events.js'
import type { WorldStore } from '../world/store.js'
import { Player } from './player.js'

const world = { rev: 0, snapshot: {}, proved: true, after: () => world } as unknown as PastWorld
const line = (seq: number): TimedEvent => ({ kind: 'world:interaction', seq, data: { rev: 0, playerId: 'ada' }, at: seq, past: false })

const nextTurn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })

/** Returns a player of a host that answers when the test allows it, with the player's output. */
function newPlayer(): { player: Player, shown: unknown[], emit: (event: TimedEvent) => void, answer: (...seqs: readonly number[]) => Promise<void> } {
  const shown: unknown[] = []
  const asked: ((reply: ListEventsReply) => void)[] = []
  let emit: (event: TimedEvent) => void = () => undefined
  const client = {
    listEvents: () => new Promise<ListEventsReply>((resolve) => { asked.push(resolve) }),
    pastWorld: () => Promise.resolve(world),
  } as unknown as WorldClient
  const store = {
    client,
    listen: (listener: (event: TimedEvent) => void) => { emit = listener; return () => undefined },
    showThen: ({ seq }: { readonly seq: number }) => { shown.push(seq) },
    showNow: () => { shown.push('now') },
    replay: ({ seq }: TimedEvent) => { shown.push(`event ${seq}`) },
    recording: {},
  } as unknown as WorldStore
  const answer = async (...seqs: readonly number[]): Promise<void> => {
    const events = seqs.map((seq) => ({ seq, rev: 0, event: 'world:interaction', at: new Date(seq).toISOString(), playerId: 'ada', data: { rev: 0, playerId: 'ada' } }))
    asked.shift()?.({ events, hasMore: false, lastSeq: seqs.at(-1) ?? 0 } as unknown as ListEventsReply)
    await nextTurn()
  }
  return { player: new Player(store, client), shown, emit: (event) => { emit(event) }, answer }
}

describe('the player of the past', () => {
  it('has events that arrive while it loads the past, once', async () => {
    const { player, emit, answer } = newPlayer()
    const loaded = player.load()
    emit(line(3))
    emit(line(4))
    await answer(1, 2, 3)
    await loaded
    emit(line(5))
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [1, 2, 3, 4, 5])
  })

  it('reloads when it has far more events than a host keeps', async () => {
    const { player, emit, answer } = newPlayer()
    const loaded = player.load()
    await answer(1)
    await loaded
    const { source } = player
    for (let seq = 2; seq < 40_000; seq += 1) emit(line(seq))
    assert.equal(player.source, source)
    emit(line(40_000))
    await answer(39_999, 40_000)
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [39_999, 40_000])
  })

  it('keeps a bounded number of events while a past moment is shown', async () => {
    const { player, emit, answer } = newPlayer()
    const loaded = player.load()
    await answer(1)
    await loaded
    const shown = player.go(0)
    await nextTurn()
    await answer(1)
    await shown
    for (let seq = 2; seq <= 90_000; seq += 1) emit(line(seq))
    assert.equal(player.place.value, 0)
    assert.equal(player.source.instants.length, 80_000)
    player.live()
    emit(line(90_001))
    await answer(90_000, 90_001)
    assert.deepEqual(player.source.instants.map(({ seq }) => seq), [90_000, 90_001])
  })

  it('shows the present while a moment is still being read', async () => {
    const { player, shown, answer } = newPlayer()
    const loaded = player.load()
    await answer(1, 2)
    await loaded
    const gone = player.go(1)
    await nextTurn()
    player.live()
    await answer(1, 2)
    await gone
    assert.deepEqual(shown, ['now'])
    assert.equal(player.place.value, undefined)
  })
})
