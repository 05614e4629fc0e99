import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layStreets, route } from './streets.js'
import { Walk } from './walk.js'

const streets = layStreets({ minX: 0, minY: 0, maxX: 19, maxY: 11 })

test('streets run between cells', () => {
  for (const at of [...streets.xs, ...streets.ys]) assert.equal(Math.abs(at % 1), 0.5)
})

test('a path starts and ends where it should and turns only at right angles', () => {
  const way = route({ x: 1, y: 1 }, { x: 17, y: 10 }, streets)
  assert.deepEqual(way[0], { x: 1, y: 1 })
  assert.deepEqual(way.at(-1), { x: 17, y: 10 })
  way.slice(1).forEach((point, i) => { assert.ok(point.x === way[i]?.x || point.y === way[i]?.y) })
})

test('a walk visits every step in order and ends at home', () => {
  const home = { x: 2, y: 2 }
  const walk = new Walk(home, [{ at: home, step: 0 }, { at: { x: 15, y: 9 }, step: 1 }, { at: home, step: null }], streets, 0, false, false)
  const steps: number[] = []
  for (let now = 0; now < walk.end; now = walk.at(now).until) {
    const { step } = walk.at(now)
    if (step !== null) steps.push(step)
  }
  assert.deepEqual(steps, [0, 1])
  assert.ok(Math.abs(walk.at(walk.end).walked - walk.length) < 1e-6)
})

test('with reduced motion no occupant is shown between steps', () => {
  const walk = new Walk({ x: 0, y: 0 }, [{ at: { x: 9, y: 9 }, step: 0 }], streets, 0, true, true)
  assert.deepEqual([walk.at(0).moving, walk.at(0).step, walk.end], [false, 0, Infinity])
})
