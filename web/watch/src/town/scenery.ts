import type { Box } from './geometry.js'
import type { Streets } from './streets.js'
import { CELL, chance, toGround } from './terrain.js'
import type { TownBounds } from './types.js'

/** Kinds of decoration: it has no occupants and no effect. */
export type SceneryKind = 'tree' | 'fir' | 'bush' | 'flowers' | 'lamp' | 'bench' | 'rock' | 'tuft'

/** One piece of scenery, on the ground. */
export interface Scenery {
  readonly kind: SceneryKind
  readonly x: number
  readonly y: number
  /** From 0 to 1, for size and color. */
  readonly variety: number
}

/** Returns the range of whole cells that a box on the ground may show, within bounds and a margin. */
function cellsIn(seen: Box, bounds: TownBounds, margin: number): TownBounds {
  return {
    minX: Math.max(bounds.minX - margin, Math.floor(seen.x / CELL.w) - 1),
    maxX: Math.min(bounds.maxX + margin, Math.ceil((seen.x + seen.w) / CELL.w) + 1),
    minY: Math.max(bounds.minY - margin, Math.floor(seen.y / CELL.h) - 1),
    maxY: Math.min(bounds.maxY + margin, Math.ceil((seen.y + seen.h) / CELL.h) + 2),
  }
}

function add(list: Scenery[], kind: SceneryKind, x: number, y: number, variety: number): void {
  const at = toGround(x, y)
  list.push({ kind, x: at.x, y: at.y, variety })
}

/** Adds a plant where four gardens meet; at a corner on a street, a lamp or a bench is possible. */
function corner(list: Scenery[], x: number, y: number, streets: { xs: Set<number>; ys: Set<number> }): void {
  const cx = x + 0.5
  const cy = y + 0.5
  const luck = chance(x, y, 1)
  const variety = chance(x, y, 2)
  const byX = streets.xs.has(cx)
  const byY = streets.ys.has(cy)
  if (byX && byY) {
    if (luck < 0.75) add(list, 'lamp', cx + 0.3, cy - 0.22, variety)
    return
  }
  if (byX || byY) {
    const side = luck < 0.5 ? -0.3 : 0.3
    if (luck > 0.36 && luck < 0.52) add(list, 'bench', byX ? cx + side : cx, byY ? cy - 0.26 : cy, variety)
    else if (luck < 0.2 || luck > 0.86) add(list, 'lamp', byX ? cx + side : cx, byY ? cy + side : cy, variety)
    return
  }
  const dx = (variety - 0.5) * 0.34
  const dy = (chance(x, y, 3) - 0.5) * 0.24
  if (luck < 0.4) add(list, 'tree', cx + dx, cy + dy, variety)
  else if (luck < 0.58) add(list, 'bush', cx + dx, cy + dy, variety)
  else if (luck < 0.8) add(list, 'flowers', cx + dx, cy + dy, variety)
  else add(list, 'tuft', cx + dx, cy + dy, variety)
}

/** Adds sparse trees on the outer lawn, between the last cells and the beach. */
function wood(list: Scenery[], x: number, y: number): void {
  const luck = chance(x, y, 4)
  const dx = (chance(x, y, 5) - 0.5) * 0.5
  const dy = (chance(x, y, 6) - 0.5) * 0.4
  const variety = chance(x, y, 7)
  if (luck < 0.34) add(list, 'fir', x + dx, y + dy, variety)
  else if (luck < 0.62) add(list, 'tree', x + dx, y + dy, variety)
  else if (luck < 0.7) add(list, 'rock', x + dx, y + dy, variety)
  else if (luck < 0.84) add(list, 'bush', x + dx, y + dy, variety)
}

/** Returns the scenery of a part of the ground, from back to front. It is never on a cell. */
export function sceneryIn(seen: Box, bounds: TownBounds, streets: Streets): Scenery[] {
  const list: Scenery[] = []
  const known = { xs: new Set(streets.xs), ys: new Set(streets.ys) }
  const cells = cellsIn(seen, bounds, 1)
  for (let y = cells.minY; y <= cells.maxY; y++) {
    for (let x = cells.minX; x <= cells.maxX; x++) {
      const inside = x >= bounds.minX && x < bounds.maxX && y >= bounds.minY && y < bounds.maxY
      if (inside && Math.hypot(x + 0.5 - streets.plaza.x, y + 0.5 - streets.plaza.y) > 0.7) corner(list, x, y, known)
      const outside = x < bounds.minX || x > bounds.maxX || y < bounds.minY || y > bounds.maxY
      // Corners of the land are round: there are no trees on the water there.
      const edge = (x < bounds.minX || x > bounds.maxX) && (y < bounds.minY || y > bounds.maxY)
      if (outside && !edge) wood(list, x, y)
    }
  }
  return list.sort((a, b) => a.y - b.y)
}
