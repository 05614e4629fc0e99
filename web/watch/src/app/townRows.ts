import { asArray, asObject, asText, readOccupant, type Occupant } from '@playctl/sdk'
import type { TownOccupant, TownPathStep } from '../town/types.js'

const views = new WeakMap<Occupant, TownOccupant>()

/**
 * A row as the town draws it: what it may have beside a name and a cell is of
 * its type or absent. A row that did not change gives the same view again.
 */
export function townRow(row: Occupant): TownOccupant {
  const known = views.get(row)
  if (known !== undefined) {
    return known
  }
  const read = readOccupant(row)
  const view = read.kind === 'agent' && read.lastUpdate !== undefined
    ? { ...read, lastUpdate: { path: townPath(read.lastUpdate.path) } }
    : read
  views.set(row, view)
  return view
}

/** The steps of a journey that the town can walk. */
export function townPath(path: unknown): readonly TownPathStep[] {
  return (asArray(path) ?? []).flatMap((step) => {
    const { x, y, type, content, toolName } = asObject(step) ?? {}
    return typeof x === 'number' && typeof y === 'number' && (type === 'origin' || type === 'structure' || type === 'destination')
      ? [{ x, y, type, content: asText(content) ?? '', toolName: asText(toolName) ?? '' }]
      : []
  })
}
