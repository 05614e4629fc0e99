import type { Box, Point } from './geometry.js'
import { clamp } from './geometry.js'
import { spread } from './look.js'
import type { TownBounds } from './types.js'

/**
 * The mapping from cells to the ground. A cell is {@link CELL} ground units large; the
 * ground is distorted slightly and smoothly, by the coordinates alone, so that
 * streets are not straight and figures are not in exact rows.
 */
export const CELL = { w: 64, h: 58 } as const

/** Returns the ground point of a point of the map, in cells. */
export function toGround(x: number, y: number): Point {
  return {
    x: x * CELL.w + 7 * Math.sin(y * 0.55 + 0.8) + 4 * Math.sin(x * 0.9 + y * 0.3),
    y: y * CELL.h + 6 * Math.sin(x * 0.5 + 1.3) + 4 * Math.sin(y * 0.8 - x * 0.27),
  }
}

/** Returns the point of the map, in cells, of a ground point. */
export function toCells(ground: Point): Point {
  let at = { x: ground.x / CELL.w, y: ground.y / CELL.h }
  // The distortion is small: each iteration leaves a fifth of the error at most.
  for (let turn = 0; turn < 8; turn++) {
    const there = toGround(at.x, at.y)
    at = { x: at.x + (ground.x - there.x) / CELL.w, y: at.y + (ground.y - there.y) / CELL.h }
  }
  return at
}

/** The distance of the coast from the outermost cells, in cells. */
export const COAST = 1.55

/** The distance of the pier's end from the easternmost cells, in cells. */
export const PIER = 2.05
/** The greatest distance that {@link toGround} moves a point, plus the edge of the sand or of the boat, in ground units. */
const EDGE = { x: 20, y: 14 } as const

/** Returns the box on the ground around the island of some bounds, with its coast, its pier and the boat. */
export function islandBox(bounds: TownBounds): Box {
  const left = (bounds.minX - COAST) * CELL.w - EDGE.x
  const top = (bounds.minY - COAST) * CELL.h - EDGE.y
  const right = (bounds.maxX + PIER) * CELL.w + EDGE.x
  const bottom = (bounds.maxY + COAST) * CELL.h + EDGE.y
  return { x: left, y: top, w: right - left, h: bottom - top }
}

/** Returns bounds that can be drawn: finite, whole and in order, whatever a host states. */
export function soundBounds(bounds: TownBounds): TownBounds {
  const far = 100_000
  const minX = Math.round(clamp(bounds.minX, -far, far))
  const minY = Math.round(clamp(bounds.minY, -far, far))
  return {
    minX, minY,
    maxX: Math.round(clamp(bounds.maxX, minX, far)),
    maxY: Math.round(clamp(bounds.maxY, minY, far)),
  }
}

/** Returns a number from 0 to 1 that is always the same for a place and a purpose. */
export function chance(x: number, y: number, purpose: number): number {
  return spread(Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(purpose, 0x9e3779b9)) / 2 ** 32
}
