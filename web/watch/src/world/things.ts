import { readOccupant, readSpace, type Occupant, type Space } from '@playctl/sdk'

/** The fields that everything a person can select has besides its row. */
interface Keyed {
  /** Its stable key. */
  readonly key: string
  /** The id that events use for it. */
  readonly id: string
}

/** A row of the map, with all fields parsed; the original row is in the client's copy. */
export type OccupantThing = Occupant & Keyed
export type AgentThing = Extract<OccupantThing, { kind: 'agent' }>
export type McpThing = Extract<OccupantThing, { kind: 'mcp' }>
export type SpaceThing = Space & Keyed & { readonly kind: 'space' }

/** Anything that a person can select. */
export type Thing = OccupantThing | SpaceThing

const read = new WeakMap<object, OccupantThing>()

/**
 * Reads a row of the map; undefined for a kind that this page does not know. An
 * unchanged row returns the same object, so that its view is not rendered again
 * when another row changes.
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
