import { test } from 'node:test'
import assert from 'node:assert/strict'
import type { WorldEvent } from '@playctl/sdk'
import { Recent } from './recent.js'

const eventAt = (at?: number): WorldEvent => ({ kind: 'world:interaction', data: at === undefined ? {} : { at: new Date(at).toISOString() } })

for (const [what, ahead] of [['the right time', 0], ['an hour too little', 3_600_000], ['an hour too much', -3_600_000]] as const) {
  test(`a new event is distinguished from a missed one if the clock of this machine shows ${what}`, () => {
    let here = 10_000_000
    const recent = new Recent(() => here)
    const isNew = (at: number): boolean => recent.take(eventAt(at + ahead))
    assert.ok(isNew(here - 50))
    here += 60_000
    assert.ok(!isNew(here - 40_000), 'a missed event counts as new')
    assert.ok(isNew(here - 14_000), 'an event missed for a short time does not count as new')
    assert.ok(isNew(here - 20))
    assert.ok(!isNew(here - 15_100))
  })
}

test('an event without a time is new, and does not set the clock of the host', () => {
  const recent = new Recent(() => 0)
  assert.ok(recent.take(eventAt()))
  assert.ok(recent.take(eventAt(1000)))
  assert.ok(!recent.take(eventAt(1000 - 15_000)))
  assert.ok(recent.take(eventAt()))
})
