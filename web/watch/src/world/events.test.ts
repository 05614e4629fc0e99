import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Past } from './events.js'

describe('a past event', () => {
  it('happened before the page was opened', () => {
    const past = new Past(40)
    past.enter('s1')
    assert.deepEqual([39, 40, 41, undefined].map((seq) => past.holds(seq)), [true, true, false, false])
  })

  it('does not belong to another session, whose log starts at its first event', () => {
    const past = new Past(40)
    past.enter('s1')
    past.enter('s1')
    assert.equal(past.holds(3), true)
    past.enter('s2')
    assert.equal(past.holds(3), false)
  })

  it('does not come after the log has continued from an earlier seq', () => {
    const past = new Past(40)
    past.resume(50)
    assert.equal(past.holds(40), true)
    past.resume(12)
    assert.deepEqual([12, 13].map((seq) => past.holds(seq)), [true, false])
  })
})
