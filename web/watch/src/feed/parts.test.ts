import assert from 'node:assert/strict'
import { describe as suite, it } from 'node:test'
import type { WorldEvent } from '@playctl/sdk'
import { Directory } from '../world/directory.js'
import { describe } from './describe.js'
import type { Entry } from './entry.js'
import { FeedLog } from './log.js'
import { addTo, Parts } from './parts.js'

const part = (seq: number, requestId: string, message: string, status = 'stream'): WorldEvent =>
  ({ seq, kind: 'world:intercom', data: { requestId, status, fromPlayerId: 'ada', message } })

function described(events: readonly WorldEvent[]): Entry[] {
  const parts = new Parts()
  return events.map((event) => parts.join(event, describe({ ...event, at: 0, past: false }, new Directory([], []), event.seq ?? 0)))
}

suite('the parts of an answer', () => {
  const events = [part(1, 'r1', 'The river '), part(2, 'r2', 'Good '), part(3, 'r1', 'is high.'), part(4, 'r1', 'It is high.', 'completed')]

  it('are one event while they arrive, at the position of the first', () => {
    const log = new FeedLog()
    for (const entry of described(events)) if (!log.append(entry)) log.add(entry)
    assert.deepEqual([0, 1, 2].map((place) => log.newest(place)).map((entry) => [entry?.seq, entry?.text]), [[4, 'It is high.'], [2, 'Good '], [1, 'The river is high.']])
  })

  it('are one event when they are read later', () => {
    const entries: Entry[] = []
    for (const entry of described(events)) addTo(entries, entry)
    assert.deepEqual(entries.map(({ seq, text }) => [seq, text]), [[1, 'The river is high.'], [2, 'Good '], [4, 'It is high.']])
  })

  it('match a filter as soon as its words have arrived', () => {
    const log = new FeedLog()
    log.refilter({ group: '', key: '', text: 'high' })
    const [first, , second] = described(events)
    if (first !== undefined) log.add(first)
    assert.equal(log.matching, 0)
    assert.ok(second !== undefined && log.append(second))
    assert.equal(log.newest(0)?.text, 'The river is high.')
  })
})
