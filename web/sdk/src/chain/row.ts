import { asObject, asText, asTexts, member } from '../json/read.js'
import { type JsonObject, type Occupant, type OccupantKind, type Space, rowShapes } from '../protocol/contract.js'
import { lackOf, readShape } from '../protocol/read.js'

/** A row, a node, a notify or a snapshot that cannot be read. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
}

/**
 * Checks the required fields of a row of the map: its kind, its id, its name and its
 * cell, and for a structure its relation to the world. It returns the row itself,
 * with all of its fields.
 */
export function checkOccupant(value: unknown): Occupant {
  const row = asObject(value)
  if (row === undefined) throw new ChainError('a row of the map must be an object')
  const kind = kindOf(row)
  if (kind === undefined) throw new ChainError(`the kind of a row must be one of ${Object.keys(rowShapes).join(', ')}`)
  const lack = lackOf(rowShapes[kind], row) ?? (kind === 'structure' ? lackOfPlace(row) : undefined)
  if (lack !== undefined) throw new ChainError(`a row of kind ${kind} cannot be read: ${lack}`)
  return row as unknown as Occupant
}

function kindOf(row: JsonObject): OccupantKind | undefined {
  const kind = asText(member(row, 'kind'))
  return kind !== undefined && Object.hasOwn(rowShapes, kind) ? (kind as OccupantKind) : undefined
}

/** Returns the reason why a structure is not a valid place of the world; undefined if it is valid. */
function lackOfPlace(row: JsonObject): string | undefined {
  const spaceIds = member(row, 'spaceIds')
  if (spaceIds !== undefined && asTexts(spaceIds) === undefined) return 'spaceIds must be a list of strings'
  return asTexts(spaceIds)?.length || asText(member(row, 'gameId')) ? undefined : 'it needs a space id or a gameId'
}

/** Checks the required fields of an entry of `spaces`, and returns it with all of its fields. */
export function checkSpace(value: unknown): Space {
  const entry = asObject(value)
  if (entry === undefined) throw new ChainError('a space must be an object')
  const lack = lackOf('Space', entry)
  if (lack !== undefined) throw new ChainError(`a space cannot be read: ${lack}`)
  return entry as unknown as Space
}

/** Returns the stable key of a row of the map. An agent without its owner has none. */
export function stableKeyOf(row: Occupant): string {
  if (row.kind !== 'agent') return `${row.kind}:${row.id}`
  if (!asText(row.nodeId)) throw new ChainError('a row of kind agent has no key: nodeId must be a non-empty string')
  return `agent:${row.nodeId}:${row.agentId}`
}

/** Returns the stable key of a space. */
export function spaceKeyOf(space: Space): string {
  return `space:${space.id}`
}

/**
 * Returns a view of a row in which every field has its type, whatever a host sent: a missing field
 * or one of the wrong type is read as empty, and the older `agentType` counts as
 * `platform`. Undefined for a value that is not a row of a known kind.
 */
export function readOccupant(row: Occupant): Occupant
export function readOccupant(row: unknown): Occupant | undefined
export function readOccupant(row: unknown): Occupant | undefined {
  const raw = asObject(row)
  const kind = raw === undefined ? undefined : kindOf(raw)
  return kind && (readShape(rowShapes[kind], raw) as unknown as Occupant)
}

/** Returns a view of an entry of `spaces`, as `readOccupant` does for a row. Undefined for a value that is not an object. */
export function readSpace(space: Space): Space
export function readSpace(space: unknown): Space | undefined
export function readSpace(space: unknown): Space | undefined {
  const raw = asObject(space)
  return raw && (readShape('Space', raw) as unknown as Space)
}
