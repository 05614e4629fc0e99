import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxAround, levelOf, spacing } from './level.js'
import { asDots } from './shown.js'
import type { Shown } from './shown.js'

/** Returns a number of points that fill a box row by row. */
const filled = (count: number, w: number, h: number) => {
  const columns = Math.round(Math.sqrt((count * w) / h))
  const rows = Math.ceil(count / columns)
  return Array.from({ length: count }, (_, i) => ({ x: ((i % columns) / (columns - 1)) * w, y: (Math.floor(i / columns) / (rows - 1)) * h }))
}

test('the level of detail is what can be read: dots, then names, then platforms', () => {
  const levelAt = (count: number, w: number, h: number, zoom: number) =>
    levelOf(count, spacing(filled(count, w * zoom, h * zoom)), 0.28 * zoom)
  assert.equal(levelAt(100, 350, 210, 1), 'dots', 'a hundred on a phone')
  assert.equal(levelAt(30, 350, 210, 1), 'dots', 'thirty on a phone')
  assert.equal(levelAt(5, 350, 210, 1), 'names', 'five on a phone')
  assert.equal(levelAt(100, 960, 560, 1), 'small', 'a hundred in a window')
  assert.equal(levelAt(30, 960, 560, 1), 'names', 'thirty in a window')
  assert.deepEqual([1, 2.5, 4, 7].map((zoom) => levelAt(100, 350, 210, zoom)), ['dots', 'small', 'names', 'platforms'])
})

test('a single occupant is never a dot, and the box of no occupants is empty', () => {
  assert.equal(levelOf(1, spacing([{ x: 3, y: 4 }]), 0.1), 'platforms')
  assert.deepEqual(boxAround([]), { x: 0, y: 0, w: 0, h: 0 })
  assert.deepEqual(boxAround([{ x: 3, y: 4 }, { x: -1, y: 9 }]), { x: -1, y: 4, w: 4, h: 5 })
})

test('a dot is at the feet; a selected occupant remains a figure', () => {
  const figure = (key: string): Shown => ({
    resident: { key } as Shown['resident'], feet: { x: 100, y: 50 }, home: { x: 100, y: 50 }, body: { x: 90, y: 10, w: 20, h: 40 },
    head: { x: 100, y: 10 }, pose: 0, left: false, strength: 1, scale: 1, dot: 0, plate: null, own: false,
  })
  const [dot, chosen] = asDots([figure('a'), figure('b')], { selected: 'b', hovered: null, focused: null }, 2)
  assert.deepEqual([dot?.dot, dot?.body, dot?.head], [12, { x: 88, y: 38, w: 24, h: 24 }, { x: 100, y: 38 }])
  assert.equal(chosen?.dot, 0)
})
