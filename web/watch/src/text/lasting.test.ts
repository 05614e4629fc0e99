import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lastingIn } from './lasting.js'

describe('how long something has lasted', () => {
  it('is in the longest whole unit, and in steps below a minute', () => {
    const lasting = lastingIn('en')
    const [second, minute, hour] = [1000, 60_000, 3_600_000]
    for (const [milliseconds, words] of [
      [0, '0s'], [4 * second, '0s'], [59 * second, '55s'], [minute, '1m'], [2 * minute - 1, '1m'], [hour - 1, '59m'], [hour, '1h'], [23.9 * hour, '23h'], [24 * hour, '1d'], [1000 * hour, '41d'],
    ] as const) assert.equal(lasting(milliseconds), words)
  })

  it('is nothing if it begins later, by a clock that differs', () => {
    assert.equal(lastingIn('en')(-90_000), '0s')
  })

  it('is in the language of the page', () => {
    assert.match(lastingIn('de')(7_200_000), /^2\sStd\./)
    assert.match(lastingIn('ja')(120_000), /^2\s?分/)
  })
})
