import { readOccupant, readSpace, type Occupant, type Space } from '@playctl/sdk'

/** What everything that a person can select has beside its row. */
interface Keyed {
  /** Its stable key. */
  readonly key: string
  /** The id that events use for it. */
  readonly id: string
}

/** A row of the map, in which every field has its type; the row as it came is in the client's copy. */
export type OccupantThing = Occupant & Keyed
export type AgentThing = Extract<OccupantThing, { kind: 'agent' }>
export type McpThing = Extract<OccupantThing, { kind: 'mcp' }>
export type SpaceThing = Space & Keyed & { readonly kind: 'space' }

/** Anything that a person can select. */
export type Thing = OccupantThing | SpaceThing

const read = new WeakMap<object, OccupantThing>()

/**
 * Reads a row of the map; undefined for one of a kind that this page does not
 * know. A row that did not change gives the same thing again, so that what shows
 * it need not be made anew with every change of another.
 */
export function occupantThing(row: unknown): OccupantThing | undefined {
  if (typeof row !== 'object' || row === null) return undefined
  const known = read.get(row) ?? keyed(readOccupant(row))
  if (known !== undefined) read.set(row, known)
  return known
}

function keyed(row: Occupant | undefined): OccupantThing | undefined {
  if (row?.kind === 'agent') return { ...row, key: `agent:${row.nodeId}:${row.agentId}`, id: row.agentId }
  return row && { ...row, key: `${row.kind}:${row.id}` }
}

/** Reads an entry of `spaces`. */
export function spaceThing(space: Space): SpaceThing {
  return { ...readSpace(space), kind: 'space', key: `space:${space.id}` }
}
