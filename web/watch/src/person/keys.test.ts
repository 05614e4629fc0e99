import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { headingOf, letterOf } from './keys.js'

describe('the keys for walking', () => {
  it('combine the directions of all held keys', () => {
    const [left, right, up] = [{ x: -1, y: 0 }, { x: 1, y: 0 }, { x: 0, y: -1 }]
    assert.deepEqual(headingOf([]), { x: 0, y: 0 })
    assert.deepEqual(headingOf([left, up]), { x: -1, y: -1 })
    assert.deepEqual(headingOf([left, right]), { x: 0, y: 0 })
    assert.deepEqual(headingOf([left, left]), left, 'an arrow and a letter for the same direction')
  })

  it('are the printed letters, or their positions on other keyboards', () => {
    assert.equal(letterOf({ key: 'W', code: 'KeyW' }), 'w')
    assert.equal(letterOf({ key: 'z', code: 'KeyW' }), 'z', 'as in French')
    assert.equal(letterOf({ key: 'ц', code: 'KeyW' }), 'w')
    assert.equal(letterOf({ key: 'Process', code: 'KeyA' }), 'a')
    assert.equal(letterOf({ key: 'Enter', code: 'Enter' }), '')
    assert.equal(letterOf({ key: 'ArrowUp', code: 'ArrowUp' }), '')
  })
})
