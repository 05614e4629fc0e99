import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compare, forget, newFor, nextForgetting, noRecentChange, remembered, rememberedFor } from './presence.js'
import type { OccupantThing } from './things.js'

function rows(...names: string[]): OccupantThing[] {
  return names.map((name) => ({ kind: 'human', key: `human:${name}`, id: name, name, x: 0, y: 0 }))
}

describe('arrivals and departures', () => {
  it('are derived from two states of the world', () => {
    const presence = compare(noRecentChange, rows('Ada', 'Grace'), rows('Grace', 'Lin'), 7)
    assert.deepEqual([...presence.came], [['human:Lin', 7]])
    assert.deepEqual(presence.left, [{ key: 'human:Ada', name: 'Ada', at: 7 }])
  })

  it('are unchanged without an arrival or departure', () => {
    assert.equal(compare(noRecentChange, rows('Ada'), rows('Ada'), 7), noRecentChange)
  })

  it('do not contain an occupant as both arrived and left', () => {
    const left = compare(noRecentChange, rows('Ada'), rows(), 1)
    const back = compare(left, rows(), rows('Ada'), 2)
    assert.deepEqual([[...back.came.keys()], back.left], [['human:Ada'], []])
    const again = compare(back, rows('Ada'), rows(), 3)
    assert.deepEqual([again.came.size, again.left.map(({ at }) => at)], [0, [3]])
  })

  it('keep only the latest departures, however many there were', () => {
    let presence = noRecentChange
    for (let turn = 0; turn < 100; turn += 1) presence = compare(presence, rows(`a${turn}`), rows(), turn)
    assert.deepEqual(presence.left.map(({ at }) => at), [99, 98, 97, 96, 95])
    assert.equal(presence.left.length, remembered)
  })

  it('are dropped after their time, and not before', () => {
    const presence = compare(noRecentChange, rows('Ada'), rows('Lin'), 1000)
    assert.equal(nextForgetting(presence), 1000 + newFor)
    assert.equal(forget(presence, 999 + newFor), presence)
    const older = forget(presence, 1000 + newFor)
    assert.deepEqual([older.came.size, older.left.length], [0, 1])
    assert.equal(nextForgetting(older), 1000 + rememberedFor)
    assert.equal(nextForgetting(forget(older, 1000 + rememberedFor)), undefined)
  })
})
