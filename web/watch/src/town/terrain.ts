import type { Box, Point } from './geometry.js'
import { clamp } from './geometry.js'
import { spread } from './look.js'
import type { TownBounds } from './types.js'

/**
 * From cells to the ground. A cell is {@link CELL} ground units large; the
 * ground is bent a little, smoothly and by the coordinates alone, so that
 * streets wind and nobody stands in rank and file.
 */
export const CELL = { w: 64, h: 58 } as const

/** The place of a point of the map, in cells, on the ground. */
export function toGround(x: number, y: number): Point {
  return {
    x: x * CELL.w + 7 * Math.sin(y * 0.55 + 0.8) + 4 * Math.sin(x * 0.9 + y * 0.3),
    y: y * CELL.h + 6 * Math.sin(x * 0.5 + 1.3) + 4 * Math.sin(y * 0.8 - x * 0.27),
  }
}

/** The point of the map, in cells, that is at a place on the ground. */
export function toCells(ground: Point): Point {
  let at = { x: ground.x / CELL.w, y: ground.y / CELL.h }
  // The bends are gentle: each turn leaves a fifth of the error at most.
  for (let turn = 0; turn < 8; turn++) {
    const there = toGround(at.x, at.y)
    at = { x: at.x + (ground.x - there.x) / CELL.w, y: at.y + (ground.y - there.y) / CELL.h }
  }
  return at
}

/** How far from the outermost cells the coast is, in cells. */
export const COAST = 1.55

/** How far from the easternmost cells the pier ends, in cells. */
export const PIER = 2.05
/** How far {@link toGround} moves a point at most, plus the edge of the sand or of the boat, in ground units. */
const EDGE = { x: 20, y: 14 } as const

/** The box on the ground that holds the island of some bounds, its coast, its pier and the boat at it included. */
export function islandBox(bounds: TownBounds): Box {
  const left = (bounds.minX - COAST) * CELL.w - EDGE.x
  const top = (bounds.minY - COAST) * CELL.h - EDGE.y
  const right = (bounds.maxX + PIER) * CELL.w + EDGE.x
  const bottom = (bounds.maxY + COAST) * CELL.h + EDGE.y
  return { x: left, y: top, w: right - left, h: bottom - top }
}

/** Bounds that can be drawn: finite, whole and the right way round, whatever a host states. */
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

/** A number from 0 to 1 that is always the same for a place and a purpose. */
export function chance(x: number, y: number, purpose: number): number {
  return spread(Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(purpose, 0x9e3779b9)) / 2 ** 32
}
