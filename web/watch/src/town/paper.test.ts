import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { letterSize, Paper } from './paper.js'
import { paletteOf } from './palette.js'

/** How far the measured text extends up and down. */
const ink = { up: 4, down: 5 }

const paperOf = (size: number): Paper => new Paper(paletteOf('light'), { density: 1, size })
const heightOf = (name: string): number => paperOf(1).name(name, '', 170, 'plain', false).h

describe('letters', () => {
  beforeEach(() => {
    const context = new Proxy({}, {
      get: (_, name) => (): unknown => name === 'measureText'
        ? { width: 50, actualBoundingBoxAscent: ink.up, actualBoundingBoxDescent: ink.down }
        : undefined,
      set: () => true,
    })
    const document = { createElement: () => ({ width: 0, height: 0, getContext: () => context }) }
    Object.assign(globalThis, { document })
  })

  it('grow with a large window and are never smaller than usual', () => {
    const sizes = [[390, 844], [1440, 900], [1920, 1080], [2560, 1440], [2560, 700], [7680, 4320]] as const
    assert.deepEqual(sizes.map(([width, height]) => letterSize(width, height)), [1, 1, 1.2, 1.6, 1, 2])
  })

  it('that are larger need proportionally more room', () => {
    const { w, h } = paperOf(1).name('Ada', 'langchain', 170, 'plain', false)
    const large = paperOf(2).name('Ada', 'langchain', 170, 'plain', false)
    assert.deepEqual([large.w, large.h], [2 * w, 2 * h])
  })

  it('of a tall script are not clipped, and stacked marks are bounded', () => {
    const usual = heightOf('Ada')
    Object.assign(ink, { up: 12, down: 9 })
    assert.equal(heightOf('Ada'), usual)
    assert.equal(heightOf('བཀྲ་ཤིས'), 26)
    Object.assign(ink, { up: 90, down: 9 })
    assert.ok(heightOf('Z\u0335\u0302') < 2 * usual)
  })
})
