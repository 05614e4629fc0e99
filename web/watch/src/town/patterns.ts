import { BEACON, COTTAGE, drawBeacon, drawCottage, drawHall, HALL } from './buildings.js'
import { drawFigure, FIGURE } from './figure.js'
import type { Pose } from './figure.js'
import { lookOf, lookSeed } from './look.js'
import type { Palette } from './palette.js'
import type { Pattern } from './sprites.js'
import type { TownOccupant } from './types.js'

/** The patterns of a row: one that stays in its place, and a figure that may walk. */
export interface Patterns {
  readonly place: Pattern | null
  readonly figure: readonly Pattern[] | null
}

/** Returns the patterns of a row. They depend only on its id and kind, not on the viewer. */
export function patternsOf(row: TownOccupant, p: Palette): Patterns {
  const id = row.kind === 'agent' ? row.agentId : row.id
  switch (row.kind) {
    case 'mcp': {
      const form = lookSeed(id) % 3
      return { place: { name: `beacon ${form}`, frame: BEACON, paint: (c) => { drawBeacon(c, form, p) } }, figure: null }
    }
    case 'structure': {
      const amenity = row.primaryAmenity ?? row.amenities?.[0] ?? ''
      return { place: { name: `hall ${amenity}`, frame: HALL, paint: (c) => { drawHall(c, amenity, p) } }, figure: null }
    }
    default: {
      const look = lookOf(id)
      const form = look.seed % 3
      const figure = ([0, 1, 2] as Pose[]).map((pose) => ({
        name: `figure ${id} ${pose}`, frame: FIGURE, paint: (c: CanvasRenderingContext2D) => { drawFigure(c, look, pose) },
      }))
      if (row.kind === 'human') return { place: null, figure }
      return { place: { name: `cottage ${look.coat} ${form}`, frame: COTTAGE, paint: (c) => { drawCottage(c, look.coat, form, p) } }, figure }
    }
  }
}
