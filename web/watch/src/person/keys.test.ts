import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { headingOf, letterOf } from './keys.js'

describe('the keys that walk', () => {
  it('lead where those that are held lead together', () => {
    const [left, right, up] = [{ x: -1, y: 0 }, { x: 1, y: 0 }, { x: 0, y: -1 }]
    assert.deepEqual(headingOf([]), { x: 0, y: 0 })
    assert.deepEqual(headingOf([left, up]), { x: -1, y: -1 })
    assert.deepEqual(headingOf([left, right]), { x: 0, y: 0 })
    assert.deepEqual(headingOf([left, left]), left, 'the arrow and the letter')
  })

  it('are those that are written on them, or in their place where no Latin letters are', () => {
    assert.equal(letterOf({ key: 'W', code: 'KeyW' }), 'w')
    assert.equal(letterOf({ key: 'z', code: 'KeyW' }), 'z', 'as in French')
    assert.equal(letterOf({ key: 'ц', code: 'KeyW' }), 'w')
    assert.equal(letterOf({ key: 'Process', code: 'KeyA' }), 'a')
    assert.equal(letterOf({ key: 'Enter', code: 'Enter' }), '')
    assert.equal(letterOf({ key: 'ArrowUp', code: 'ArrowUp' }), '')
  })
})
