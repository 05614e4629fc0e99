import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Arrow, type Standing, nextInDirection, readingOrder } from './arrows.js'
import { chance } from './terrain.js'

const UP: Arrow = [0, -1]
const DOWN: Arrow = [0, 1]
const LEFT: Arrow = [-1, 0]
const RIGHT: Arrow = [1, 0]
const middle = { x: 0, y: 0 }

const at = (key: string, x: number, y: number): Standing => ({ key, home: { x, y } })

/** Figures on a coarse grid, so that some stand in the same place. */
const crowd = (size: number, seed: number): Standing[] =>
  Array.from({ length: size }, (_, i) => at(`agent:${i}`, Math.floor(chance(i, seed, 1) * 20), Math.floor(chance(i, seed, 2) * 12)))

/** Returns the keys of the figures that an arrow key selects, pressed as many times as there are figures. */
function selectedBy(all: readonly Standing[], arrow: Arrow): string[] {
  let current: Standing | null = all[0] ?? null
  const selected: string[] = []
  while (selected.length < all.length) {
    current = nextInDirection(all, current, arrow, middle) ?? null
    selected.push(current?.key ?? 'nobody')
  }
  return selected
}

describe('an arrow key', () => {
  it('to the right or to the left reaches every occupant, wherever they are', () => {
    for (let seed = 0; seed < 200; seed++) {
      const all = crowd(1 + (seed % 100), seed)
      const everybody = all.map(({ key }) => key).sort()
      assert.deepEqual(selectedBy(all, RIGHT).sort(), everybody, `seed ${seed}`)
      assert.deepEqual(selectedBy(all, LEFT).sort(), everybody, `seed ${seed}`)
    }
  })

  it('to the left undoes one to the right', () => {
    const all = crowd(50, 7)
    for (const from of all) {
      const right = nextInDirection(all, from, RIGHT, middle)
      assert.ok(right !== undefined)
      assert.equal(nextInDirection(all, right, LEFT, middle), from)
    }
  })

  it('up or down selects the nearest occupant there, or keeps the selection', () => {
    const all = [at('here', 0, 0), at('below', 5, 20), at('far below', 0, 90), at('aside', 60, 1)]
    const here = all[0] ?? null
    assert.equal(nextInDirection(all, here, DOWN, middle)?.key, 'below')
    assert.equal(nextInDirection(all, here, UP, middle)?.key, 'here')
  })

  it('without a selection selects the occupant nearest to the center of the view', () => {
    const all = [at('a', 0, 0), at('b', 90, 80), at('c', 200, 0)]
    for (const arrow of [UP, DOWN, LEFT, RIGHT]) assert.equal(nextInDirection(all, null, arrow, { x: 100, y: 100 })?.key, 'b')
    assert.equal(nextInDirection<Standing>([], null, UP, middle), undefined)
  })
})

it('occupants are read row by row', () => {
  const all = [at('d', 3, 101), at('b', 50, 4), at('a', 1, 0), at('c', 90, 2), at('f', 80, 99), at('e', 30, 97), at('g', 95, 100), at('h', 96, 96)]
  assert.equal(readingOrder(all).map(({ key }) => key).join(''), 'abcdefgh')
})
