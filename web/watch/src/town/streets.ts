import { nth } from './geometry.js'
import type { Point } from './geometry.js'
import { toGround } from './terrain.js'
import type { TownBounds } from './types.js'

/** The number of cells between two streets that run north, and between two that run west. */
const BLOCK = { w: 4, h: 3 } as const

/** The streets of a town, in cells: they run between the cells, never over one. */
export interface Streets {
  /** The x of streets from north to south, in ascending order. */
  readonly xs: readonly number[]
  /** The y of streets from west to east, in ascending order. */
  readonly ys: readonly number[]
  /** The crossing of the two middle streets. */
  readonly plaza: Point
}

function lines(least: number, most: number, block: number): { all: number[]; middle: number } {
  const middle = Math.floor((least + most) / 2) + 0.5
  const all: number[] = []
  const first = middle - block * Math.floor((middle - least) / block)
  for (let at = first; at < most && all.length < 20_000; at += block) all.push(at)
  return all.length > 0 ? { all, middle } : { all: [middle], middle }
}

/** Returns the streets for some bounds. They cross in the middle, where the plaza is. */
export function layStreets(bounds: TownBounds): Streets {
  const across = lines(bounds.minX, bounds.maxX, BLOCK.w)
  const down = lines(bounds.minY, bounds.maxY, BLOCK.h)
  return { xs: across.all, ys: down.all, plaza: { x: across.middle, y: down.middle } }
}

function nearest(values: readonly number[], wanted: number): number {
  let best = values[0] ?? wanted
  for (const value of values) if (Math.abs(value - wanted) < Math.abs(best - wanted)) best = value
  return best
}

/** Below this distance, in cells, a walk crosses the lawn instead of using the street. */
const LAWN = 1.6

/**
 * Returns the way from one point to another, both in cells: to the next street,
 * along streets, and from the street to the end.
 */
export function route(from: Point, to: Point, streets: Streets): Point[] {
  if (Math.hypot(to.x - from.x, to.y - from.y) < LAWN) return [from, to]
  const out = nearest(streets.ys, from.y)
  const home = nearest(streets.ys, to.y)
  const points = [from, { x: from.x, y: out }]
  if (out !== home) {
    const turn = nearest(streets.xs, (from.x + to.x) / 2)
    points.push({ x: turn, y: out }, { x: turn, y: home })
  }
  points.push({ x: to.x, y: home }, to)
  return points.filter((point, i) => {
    const before = points[i - 1]
    return before?.x !== point.x || before.y !== point.y
  })
}

/** Returns a way with corners rounded by cutting them twice (G. Chaikin, 1974). The ends stay. */
export function rounded(points: readonly Point[]): Point[] {
  let line = [...points]
  for (let turn = 0; turn < 2 && line.length > 2; turn++) {
    const cut: Point[] = []
    for (let i = 0; i + 1 < line.length; i++) {
      const a = nth(line, i)
      const b = nth(line, i + 1)
      // Long straight parts are cut only near their corners, so that a walker does not cross gardens.
      const share = Math.min(0.25, 0.3 / Math.max(Math.hypot(b.x - a.x, b.y - a.y), 1e-6))
      if (i === 0) cut.push(a)
      else cut.push({ x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share })
      if (i + 2 === line.length) cut.push(b)
      else cut.push({ x: b.x - (b.x - a.x) * share, y: b.y - (b.y - a.y) * share })
    }
    line = cut
  }
  return line
}

/** Returns the points of a way on the ground, close enough to follow the bends of the terrain. */
export function onGround(points: readonly Point[]): Point[] {
  const out: Point[] = []
  points.forEach((point, i) => {
    const before = points[i - 1]
    if (before !== undefined) {
      const parts = Math.ceil(Math.hypot(point.x - before.x, point.y - before.y) / 0.5)
      for (let part = 1; part < parts; part++) {
        const share = part / parts
        out.push(toGround(before.x + (point.x - before.x) * share, before.y + (point.y - before.y) * share))
      }
    }
    out.push(toGround(point.x, point.y))
  })
  return out
}
