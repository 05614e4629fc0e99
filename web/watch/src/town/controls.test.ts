import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listen } from './controls.js'

/** An event target with the members of a canvas that the gestures use. */
class Surface extends EventTarget {
  readonly captured: number[] = []
  setPointerCapture(id: number): void { this.captured.push(id) }

  /** Sends an event with some properties; reports whether the page handled it. */
  send(type: string, properties: object): boolean {
    const event = new Event(type, { cancelable: true })
    Object.assign(event, properties)
    return !this.dispatchEvent(event)
  }

  pointer(type: string, pointerId: number, offsetX: number, offsetY: number, pointerType = 'mouse'): void {
    this.send(`pointer${type}`, { pointerId, offsetX, offsetY, pointerType })
  }
}

function mapWith(): { surface: Surface; calls: unknown[]; end: () => void } {
  const surface = new Surface()
  const calls: unknown[] = []
  const ends = new AbortController()
  const note = (name: string) => (...values: unknown[]): void => { calls.push([name, ...values]) }
  listen(surface as unknown as HTMLCanvasElement, {
    pan: note('pan'), zoom: note('zoom'), pick: note('pick'), hover: note('hover'), fit: note('fit'), move: note('move'), choose: note('choose'),
  }, ends.signal)
  return { surface, calls, end: () => { ends.abort() } }
}

describe('a pointer', () => {
  it('that stays selects, also if it trembles', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 50, 60)
    surface.pointer('move', 1, 52, 61)
    surface.pointer('up', 1, 52, 61)
    assert.deepEqual(calls, [['pick', { x: 50, y: 60 }, 0]])
    assert.deepEqual(surface.captured, [1])
  })

  it('that is a finger selects what is near it', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 50, 60, 'touch')
    surface.pointer('up', 1, 50, 60, 'touch')
    assert.deepEqual(calls, [['pick', { x: 50, y: 60 }, 22]])
  })

  it('that moves pans, and selects nothing', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 50, 60)
    surface.pointer('move', 1, 80, 50)
    surface.pointer('move', 1, 90, 50)
    surface.pointer('up', 1, 90, 50)
    assert.deepEqual(calls, [['pan', 30, -10], ['pan', 10, 0]])
  })

  it('without a button hovers over things, until it leaves', () => {
    const { surface, calls } = mapWith()
    surface.pointer('move', 1, 5, 6)
    surface.pointer('leave', 1, 5, 6)
    assert.deepEqual(calls, [['hover', { x: 5, y: 6 }], ['hover', null]])
  })

  it('that the system canceled selects nothing', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 50, 60)
    surface.pointer('cancel', 1, 50, 60)
    assert.deepEqual(calls, [])
  })
})

describe('two pointers', () => {
  it('that move apart zoom about their midpoint, and select nothing', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 100, 100)
    surface.pointer('down', 2, 200, 100)
    surface.pointer('move', 2, 300, 100)
    surface.pointer('up', 2, 300, 100)
    surface.pointer('up', 1, 100, 100)
    assert.deepEqual(calls, [['pan', 50, 0], ['zoom', 2, { x: 200, y: 100 }]])
  })

  it('continue with a pan by the other when one is lifted', () => {
    const { surface, calls } = mapWith()
    surface.pointer('down', 1, 100, 100)
    surface.pointer('down', 2, 200, 100)
    surface.pointer('up', 2, 200, 100)
    surface.pointer('move', 1, 120, 130)
    assert.deepEqual(calls, [['pan', 20, 30]])
  })
})

describe('a wheel', () => {
  it('zooms about the pointer in proportion to its turn, without scrolling the page', () => {
    const { surface, calls } = mapWith()
    assert.ok(surface.send('wheel', { deltaY: -100, deltaMode: 0, ctrlKey: false, offsetX: 7, offsetY: 8 }))
    surface.send('wheel', { deltaY: 100, deltaMode: 0, ctrlKey: false, offsetX: 7, offsetY: 8 })
    surface.send('wheel', { deltaY: 1e9, deltaMode: 0, ctrlKey: false, offsetX: 7, offsetY: 8 })
    const [closer, farther, farthest] = (calls as [string, number, object][]).map(([, factor]) => factor)
    assert.deepEqual((calls[0] as unknown[])[2], { x: 7, y: 8 })
    assert.ok(closer !== undefined && farther !== undefined && farthest !== undefined)
    assert.ok(Math.abs(closer * farther - 1) < 1e-12 && closer > 1)
    assert.ok(farthest > 0.5 && farthest < farther)
  })
})

describe('a key', () => {
  it('moves, pans, zooms, fits and selects', () => {
    const { surface, calls } = mapWith()
    const press = (key: string, more: object = {}): boolean => surface.send('keydown', { key, ...more })
    for (const key of ['ArrowUp', '+', '-', '0', 'Enter', 'Escape']) assert.ok(press(key), key)
    assert.ok(press('ArrowRight', { shiftKey: true }))
    assert.deepEqual(calls, [
      ['move', 0, -1], ['zoom', 1.25, null], ['zoom', 0.8, null], ['fit'], ['choose', true], ['choose', false], ['pan', -80, -0],
    ])
  })

  it('of the browser or without a meaning is ignored', () => {
    const { surface, calls } = mapWith()
    assert.ok(!surface.send('keydown', { key: '+', ctrlKey: true }))
    assert.ok(!surface.send('keydown', { key: 'x' }))
    assert.ok(!surface.send('keydown', { key: 'Tab' }))
    assert.deepEqual(calls, [])
  })
})

it('no input is received after the end', () => {
  const { surface, calls, end } = mapWith()
  end()
  surface.send('keydown', { key: '0' })
  surface.pointer('move', 1, 5, 6)
  assert.deepEqual(calls, [])
})
