import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { Allowance } from './allowance.js'
import type { Pattern } from './sprites.js'
import { drawSprite, Sprites } from './sprites.js'

/** A drawn bitmap, and its box. */
interface Drawn { readonly canvas: unknown; readonly box: readonly number[] }

/** Returns a context that accepts every call and records the bitmaps passed to it. */
function contextOn(drawn: Drawn[]): CanvasRenderingContext2D {
  return new Proxy({}, {
    get: (_, name) => (...values: unknown[]): void => {
      if (name === 'drawImage') drawn.push({ canvas: values[0], box: values.slice(1) as number[] })
    },
    set: () => true,
  }) as CanvasRenderingContext2D
}

/** A pattern that counts how often it is painted. */
function patternOf(name: string, size = 10): { pattern: Pattern; painted: () => number } {
  let count = 0
  return {
    pattern: { name, frame: { left: -size / 2, top: -size, width: size, height: size }, paint: () => { count += 1 } },
    painted: () => count,
  }
}

/** Returns sprites with a stopped clock: a frame has no limit for pictures, or after an advance of the clock only the least number. */
function spritesAt(clock: { now: number }): { allowance: Allowance; sprites: Sprites; drawn: Drawn[]; draw: (pattern: Pattern, scale?: number) => void } {
  const allowance = new Allowance(() => clock.now)
  const sprites = new Sprites(allowance)
  const drawn: Drawn[] = []
  const context = contextOn(drawn)
  allowance.begin()
  sprites.setScale(1)
  return { allowance, sprites, drawn, draw: (pattern, scale = 1) => {
    const canvas = sprites.get(pattern)
    if (canvas !== undefined) drawSprite(context, canvas, pattern.frame, 100, 100, scale)
  } }
}

describe('sprites', () => {
  beforeEach(() => {
    const document = { createElement: () => ({ width: 0, height: 0, getContext: () => contextOn([]) }) }
    Object.assign(globalThis, { document })
  })

  it('are painted once for identical patterns, and placed by their origin', () => {
    const { drawn, draw } = spritesAt({ now: 0 })
    const { pattern, painted } = patternOf('cottage')
    draw(pattern)
    draw({ ...pattern }, 2)
    assert.equal(painted(), 1)
    assert.deepEqual(drawn.map(({ box }) => box), [[95, 90, 10, 10], [90, 80, 20, 20]])
    assert.equal(drawn[0]?.canvas, drawn[1]?.canvas)
  })

  it('are painted again at another scale, and after they were dropped', () => {
    const { sprites, draw } = spritesAt({ now: 0 })
    const { pattern, painted } = patternOf('cottage')
    draw(pattern)
    sprites.setScale(2)
    draw(pattern)
    draw(pattern)
    assert.equal(painted(), 2)
    sprites.clear()
    draw(pattern)
    assert.equal(painted(), 3)
  })

  it('that a frame has no time for are painted in the next frames', () => {
    const clock = { now: 0 }
    const { allowance, drawn, draw } = spritesAt(clock)
    const patterns = Array.from({ length: 20 }, (_, i) => patternOf(`hall ${i}`).pattern)
    clock.now = 10
    for (const pattern of patterns) draw(pattern)
    assert.ok(drawn.length > 0 && drawn.length < 20, `${drawn.length} are drawn`)
    assert.ok(allowance.behind)
    for (let frame = 0; frame < 8; frame++) {
      drawn.length = 0
      allowance.begin()
      clock.now += 10
      for (const pattern of patterns) draw(pattern)
    }
    assert.equal(drawn.length, 20)
  })

  it('at an old scale are drawn if no new ones are ready', () => {
    const clock = { now: 0 }
    const { sprites, allowance, drawn, draw } = spritesAt(clock)
    const patterns = Array.from({ length: 20 }, (_, i) => patternOf(`hall ${i}`).pattern)
    for (const pattern of patterns) draw(pattern)
    allowance.begin()
    clock.now = 10
    sprites.setScale(2)
    drawn.length = 0
    for (const pattern of patterns) draw(pattern)
    assert.equal(drawn.length, 20)
    assert.ok(allowance.behind)
  })

  it('that were unused for longest are dropped if there are too many', () => {
    const { draw } = spritesAt({ now: 0 })
    // Each has four of the ten million pixels that are the limit for all together.
    const [a, b, c] = ['a', 'b', 'c'].map((name) => patternOf(name, 2048)) as [ReturnType<typeof patternOf>, ReturnType<typeof patternOf>, ReturnType<typeof patternOf>]
    for (const { pattern } of [a, b, a, c, a]) draw(pattern)
    assert.equal(a.painted(), 1)
    draw(b.pattern)
    assert.equal(b.painted(), 2)
  })
})
