import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Director, HOLD, QUIET } from './director.js'

describe('the camera of a wall', () => {
  it('moves to the newest event, and stays there for a while', () => {
    const director = new Director()
    assert.equal(director.next(0), undefined)
    director.saw('ada', 1000)
    director.saw('grace', 1100)
    director.saw('ada', 1200)
    assert.deepEqual(director.next(1300), ['ada', 'grace'])
    director.saw('alan', 2000)
    assert.equal(director.next(1300 + HOLD - 1), undefined)
    assert.deepEqual(director.next(1300 + HOLD), ['alan', 'ada', 'grace'])
  })

  it('does not move to old events', () => {
    const director = new Director()
    director.saw('ada', 0)
    assert.deepEqual(director.next(0), ['ada'])
    director.saw('grace', 1)
    assert.equal(director.next(15_000), undefined)
  })

  it('shows all occupants once when nothing happens', () => {
    const director = new Director()
    director.saw('ada', 0)
    director.next(0)
    assert.equal(director.next(QUIET), undefined)
    assert.deepEqual(director.next(QUIET + 1), [])
    assert.equal(director.next(QUIET + 1 + HOLD), undefined)
  })

  it('does not move for a while after a person has moved it', () => {
    const director = new Director()
    director.rest(0)
    director.saw('ada', 5)
    assert.equal(director.next(QUIET), undefined)
    assert.deepEqual(director.next(QUIET + HOLD), [])
  })
})
