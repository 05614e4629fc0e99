import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Rows } from './rows.js'

const rowHeight = 58

describe('the rows of a list', () => {
  it('have one height, except expanded ones', () => {
    const rows = new Rows(10, [{ place: 5, extra: 30 }, { place: 2, extra: 100 }, { place: -1, extra: 7 }, { place: 10, extra: 7 }], rowHeight)
    assert.deepEqual([0, 2, 3, 5, 6].map((place) => rows.topOf(place)), [0, 2 * rowHeight, 3 * rowHeight + 100, 5 * rowHeight + 100, 6 * rowHeight + 130])
    assert.equal(rows.height, 10 * rowHeight + 130)
  })

  it('are found by their height', () => {
    const rows = new Rows(10, [{ place: 2, extra: 100 }, { place: 3, extra: 50 }], rowHeight)
    for (let place = 0; place < 10; place += 1) {
      assert.equal(rows.placeAt(rows.topOf(place)), place)
      assert.equal(rows.placeAt(rows.topOf(place + 1) - 1), place)
    }
    assert.equal(rows.placeAt(-5), 0)
  })
})
