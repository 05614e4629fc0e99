import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Point } from '../town/geometry.js'
import { freeCell, nearestTo, PACE, Movement } from './movement.js'

const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 5 }
const zero = { x: 0, y: 0 }

function movementFrom(cell: Point, options: { still?: boolean, taken?: readonly Point[] } = {}): Movement {
  const taken = ({ x, y }: Point): boolean => options.taken?.some((other) => other.x === x && other.y === y) === true
  return new Movement(cell, { bounds: () => bounds, free: (to, towards) => freeCell(to, towards, bounds, taken) }, () => options.still === true)
}

/** Advances time in frames of a thirtieth of a second. */
function advance(movement: Movement, from: number, to: number): void {
  for (let now = from; now <= to; now += 1000 / 30) movement.at(now)
  movement.at(to)
}

describe('a steered walk', () => {
  it('has the speed of agents, and ends on a cell', () => {
    const movement = movementFrom({ x: 1, y: 2 })
    movement.head({ x: 1, y: 0 }, 0)
    advance(movement, 0, 1000)
    assert.ok(Math.abs(movement.place.x - (1 + PACE)) < 0.01, `it is at ${movement.place.x}`)
    assert.ok(movement.moving)
    movement.head(zero, 1000)
    assert.ok(movement.moving, 'it stopped before the next cell')
    assert.deepEqual(movement.cell, { x: 4, y: 2 })
    advance(movement, 1000, 2000)
    assert.deepEqual(movement.place, { x: 4, y: 2 })
    assert.equal(movement.moving, false)
  })

  it('is no faster diagonally', () => {
    const movement = movementFrom(zero)
    movement.head({ x: 1, y: 1 }, 0)
    advance(movement, 0, 1000)
    assert.ok(Math.abs(Math.hypot(movement.place.x, movement.place.y) - PACE) < 0.01)
  })

  it('moves one cell for a short press in any direction', () => {
    for (const [to, cell] of [[{ x: 1, y: 0 }, { x: 4, y: 3 }], [{ x: -1, y: 0 }, { x: 2, y: 3 }], [{ x: 0, y: -1 }, { x: 3, y: 2 }], [{ x: 1, y: 1 }, { x: 4, y: 4 }]] as const) {
      for (const held of [0, 60, 150]) {
        const movement = movementFrom({ x: 3, y: 3 })
        movement.head(to, 0)
        advance(movement, 0, held)
        movement.head(zero, held)
        advance(movement, held, held + 2000)
        assert.deepEqual(movement.place, cell, `held for ${held} ms`)
      }
    }
  })

  it('stays within the map, which may shrink', () => {
    const movement = movementFrom({ x: 8, y: 4 })
    movement.head({ x: 1, y: 1 }, 0)
    advance(movement, 0, 5000)
    assert.deepEqual(movement.place, { x: 9, y: 5 })
    movement.head(zero, 5000)
    advance(movement, 5000, 7000)
    assert.deepEqual(movement.cell, { x: 9, y: 5 })
    movement.head({ x: -1, y: -1 }, 7000)
    advance(movement, 7000, 14_000)
    assert.deepEqual(movement.place, zero)
  })

  it('does not jump after a long time without a frame', () => {
    const movement = movementFrom(zero)
    movement.head({ x: 1, y: 0 }, 0)
    movement.at(60_000)
    assert.ok(movement.place.x <= PACE / 4, `it is at ${movement.place.x}`)
  })

  it('does not end on an occupied cell, and passes it', () => {
    const movement = movementFrom({ x: 3, y: 3 }, { taken: [{ x: 4, y: 3 }] })
    movement.head({ x: 1, y: 0 }, 0)
    movement.head(zero, 50)
    advance(movement, 50, 3000)
    assert.deepEqual(movement.place, { x: 5, y: 3 })
  })

  it('moves from cell to cell immediately with reduced motion', () => {
    const movement = movementFrom({ x: 3, y: 3 }, { still: true })
    movement.head({ x: 1, y: 0 }, 0)
    assert.deepEqual(movement.place, { x: 4, y: 3 })
    movement.head(zero, 100)
    movement.at(101)
    assert.deepEqual(movement.place, { x: 4, y: 3 })
    assert.equal(movement.moving, false)
    movement.head({ x: 1, y: 0 }, 1000)
    advance(movement, 1000, 1900)
    assert.deepEqual(movement.place, { x: 7, y: 3 }, 'the speed differs from that of a walk')
  })

  it('moves to the cell that the host returns', () => {
    const movement = movementFrom({ x: 3, y: 3 })
    movement.goTo({ x: 3, y: 4 }, 0)
    advance(movement, 0, 1000)
    assert.deepEqual(movement.place, { x: 3, y: 4 })
  })

  it('faces the direction of movement', () => {
    const movement = movementFrom({ x: 3, y: 3 })
    movement.head({ x: -1, y: 0 }, 0)
    assert.equal(movement.at(100).left, true)
    movement.head({ x: 0, y: 1 }, 100)
    assert.equal(movement.at(200).left, true, 'it turned while it moved up or down')
    movement.head({ x: 1, y: 0 }, 200)
    assert.equal(movement.at(300).left, false)
  })
})

describe('a free cell', () => {
  it('is the nearest, or of two the one ahead', () => {
    const taken = ({ x, y }: Point): boolean => x >= 2 && x <= 4 && y === 3
    assert.deepEqual(freeCell({ x: 1, y: 1 }, zero, bounds, taken), { x: 1, y: 1 })
    assert.deepEqual(freeCell({ x: 3, y: 3 }, { x: 0, y: 1 }, bounds, taken), { x: 3, y: 4 })
    assert.deepEqual(freeCell({ x: 3, y: 3 }, { x: 0, y: -1 }, bounds, taken), { x: 3, y: 2 })
  })

  it('is on the map, or the cell itself if no cell is free', () => {
    assert.deepEqual(freeCell({ x: 0, y: 0 }, { x: -1, y: -1 }, bounds, ({ x, y }) => x === 0 && y === 0), { x: 0, y: 1 })
    assert.deepEqual(freeCell({ x: 4, y: 4 }, zero, bounds, () => true), { x: 4, y: 4 })
  })
})

describe('the nearest occupant', () => {
  const at = (key: string, x: number, y: number): Point & { key: string } => ({ key, x, y })

  it('is within reach', () => {
    const all = [at('far', 5, 5), at('beside', 1, 1), at('next', 0, 1)]
    assert.equal(nearestTo({ x: 0, y: 0 }, all, 1.6)?.key, 'next')
    assert.equal(nearestTo({ x: 3, y: 3 }, all, 1.6), undefined)
    assert.equal(nearestTo({ x: 4, y: 4 }, all, 1.6)?.key, 'far')
  })
})
