import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Display, merged, type Item } from './display.js'
import type { Box } from './geometry.js'
import { overlap } from './geometry.js'

const window = { x: 0, y: 0, w: 1000, h: 600 }

const none = (): void => undefined

/** Returns a canvas context that records which boxes were redrawn, and which items in them. */
function recordingContext(): { c: CanvasRenderingContext2D, drawn: string[] } {
  const drawn: string[] = []
  const c = { save: none, restore: none, beginPath: none, clip: none, rect(x: number, y: number, w: number, h: number) { drawn.push(`${x},${y} ${w}x${h}`) } }
  return { c: c as unknown as CanvasRenderingContext2D, drawn }
}

describe('a frame', () => {
  const { c, drawn } = recordingContext()
  const display = new Display()
  const item = (name: string, x: number, look: unknown = 0): Item => ({ name, box: { x, y: 10, w: 20, h: 20 }, looks: [look], draw: () => { drawn.push(name) } })
  const frame = (...items: Item[]): readonly string[] => {
    drawn.length = 0
    display.add(...items)
    display.paint(c, window, 1, () => { drawn.push('ground') })
    return [...drawn]
  }

  it('is drawn completely first, then only in changed areas, with all their items', () => {
    assert.deepEqual(frame(item('a', 100), item('b', 110), item('c', 500)), ['0,0 1000x600', 'ground', 'a', 'b', 'c'])
    assert.deepEqual(frame(item('a', 100), item('b', 110), item('c', 500)), [])
    assert.equal(display.drawn, 0)
    assert.deepEqual(frame(item('a', 100, 'new'), item('b', 110), item('c', 500)), ['99,9 22x22', 'ground', 'a', 'b'])
    assert.deepEqual(frame(item('a', 100, 'new'), item('b', 110), item('c', 540)), ['499,9 22x22', 'ground', '539,9 22x22', 'ground', 'c'])
    assert.deepEqual(frame(item('a', 100, 'new'), item('c', 540)), ['109,9 22x22', 'ground', 'a'])
    display.reset()
    assert.deepEqual(frame(item('a', 100, 'new')), ['0,0 1000x600', 'ground', 'a'])
  })

  it('has separate boxes of whole device pixels, or is drawn completely', () => {
    const boxes: Box[] = Array.from({ length: 80 }, (_, i) => ({ x: (i * 137.3) % 980, y: (i * 71.7) % 570, w: 9.4, h: 8.2 }))
    for (const density of [1, 1.5, 2]) {
      const out = merged(boxes, window, density)
      assert.ok(out.every((box, i) => out.slice(i + 1).every((other) => !overlap(box, other))))
      assert.ok(out.every(({ x, y, w, h }) => [x, y, x + w, y + h].every((edge) => Math.abs(edge * density - Math.round(edge * density)) < 1e-6)))
      assert.ok(boxes.every((box) => out.some(({ x, y, w, h }) => box.x >= x && box.y >= y && box.x + box.w <= x + w && box.y + box.h <= y + h)))
    }
    assert.deepEqual(merged([{ x: 10, y: 10, w: 900, h: 560 }], window, 1), [window])
    assert.deepEqual(merged([{ x: -50, y: -50, w: 20, h: 20 }], window, 1), [])
  })
})
