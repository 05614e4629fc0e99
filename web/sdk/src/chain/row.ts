import { asArray, asBoolean, asNumber, asObject, asText, asTexts, member } from '../json/read.js'
import type { Amenity, AssistTool, JsonObject, Occupant, Space } from '../protocol/rows.js'

/** A row, a node, a notify or a snapshot that cannot be read. */
export class ChainError extends Error {
  override readonly name = 'ChainError'
}

const amenities: ReadonlySet<string> = new Set<Amenity>(['shop', 'supermarket', 'car_wash'])

/**
 * Checks what a row of the map must have: its kind, its id, its name and its
 * cell, of a structure also what ties it to the world. The row itself is
 * returned, with all of its fields.
 */
export function checkOccupant(value: unknown): Occupant {
  const row = asObject(value)
  if (row === undefined) throw new ChainError('a row of the map is an object')
  const kind = asText(member(row, 'kind'))
  if (kind !== 'agent' && kind !== 'mcp' && kind !== 'human' && kind !== 'structure') {
    throw new ChainError('the kind of a row is none of agent, mcp, human, structure')
  }
  const lacks = (name: string, want: string) => new ChainError(`${name} of a row of kind ${kind} must be ${want}`)
  const id = kind === 'agent' ? 'agentId' : 'id'
  if (!asText(member(row, id))) throw lacks(id, 'a string that is not empty')
  if (asText(member(row, 'name')) === undefined) throw lacks('name', 'a string')
  for (const axis of ['x', 'y']) {
    if (asNumber(member(row, axis)) === undefined) throw lacks(axis, 'a number')
  }
  if (kind === 'structure') checkPlace(row, lacks)
  return row as unknown as Occupant
}

function checkPlace(row: JsonObject, lacks: (name: string, want: string) => ChainError): void {
  if (!asText(member(row, 'worldId'))) throw lacks('worldId', 'a string that is not empty')
  const spaceIds = member(row, 'spaceIds')
  if (spaceIds !== undefined && asTexts(spaceIds) === undefined) throw lacks('spaceIds', 'a list of strings')
  if (!asTexts(spaceIds)?.length && !asText(member(row, 'gameId'))) {
    throw new ChainError('a structure needs a space id or a gameId')
  }
}

/** Checks what an entry of `spaces` must have, and returns it with all of its fields. */
export function checkSpace(value: unknown): Space {
  const entry = asObject(value)
  if (entry === undefined) throw new ChainError('a space is an object')
  const lacks = (name: string, want: string) => new ChainError(`${name} of a space must be ${want}`)
  if (!asText(member(entry, 'id'))) throw lacks('id', 'a string that is not empty')
  for (const name of ['name', 'designKey']) {
    if (asText(member(entry, name)) === undefined) throw lacks(name, 'a string')
  }
  if (asText(member(asObject(member(entry, 'owner')), 'displayName')) === undefined) throw lacks('owner.displayName', 'a string')
  const offers = asTexts(member(entry, 'amenities'))
  if (offers === undefined) throw lacks('amenities', 'a list of strings')
  if (!offers.every((kind) => amenities.has(kind))) throw new ChainError('a space has an unknown amenity')
  return entry as unknown as Space
}

/** The stable key of a row of the map. An agent without its owner has none. */
export function stableKeyOf(row: Occupant): string {
  if (row.kind !== 'agent') return `${row.kind}:${row.id}`
  if (!asText(row.nodeId)) throw new ChainError('nodeId of a row of kind agent must be a string that is not empty')
  return `agent:${row.nodeId}:${row.agentId}`
}

/** The stable key of a space. */
export function spaceKeyOf(space: Space): string {
  return `space:${space.id}`
}

/**
 * A view of a row in which every field has its type, whatever a host sent: one that is
 * missing or of the wrong type is as good as empty, and the older `agentType` counts as
 * `platform`. Undefined for a value that is no row of a kind that is known.
 */
export function readOccupant(row: Occupant): Occupant
export function readOccupant(row: unknown): Occupant | undefined
export function readOccupant(row: unknown): Occupant | undefined {
  const raw = asObject(row)
  if (raw === undefined) return undefined
  const of = (field: string) => member(raw, field)
  const id = asText(of('id')) ?? ''
  const placed = { name: asText(of('name')) ?? '', x: asNumber(of('x')) ?? 0, y: asNumber(of('y')) ?? 0 }
  switch (asText(of('kind'))) {
    case 'agent':
      return readAgent(raw, placed)
    case 'mcp':
      return { kind: 'mcp', id, nodeId: asText(of('nodeId')) ?? '', ...placed, ...text(raw, 'url') }
    case 'human':
      return { kind: 'human', id, ...placed, ...optional('interactive', asBoolean(of('interactive'))) }
    case 'structure':
      return {
        kind: 'structure', id, ...placed, worldId: asText(of('worldId')) ?? '',
        spaceIds: asTexts(of('spaceIds')) ?? [],
        stationary: asBoolean(of('stationary')) ?? false,
        ...text(raw, 'gameId'), ...text(raw, 'primaryAmenity'),
        ...optional('amenities', asTexts(of('amenities'))),
      }
    default:
      return undefined
  }
}

/** A view of an entry of `spaces`, as `readOccupant` is one of a row. Undefined for a value that is no object. */
export function readSpace(space: Space): Space
export function readSpace(space: unknown): Space | undefined
export function readSpace(space: unknown): Space | undefined {
  const raw = asObject(space)
  if (raw === undefined) return undefined
  const owner = asObject(member(raw, 'owner'))
  return {
    id: asText(member(raw, 'id')) ?? '', name: asText(member(raw, 'name')) ?? '',
    description: asText(member(raw, 'description')) ?? '', designKey: asText(member(raw, 'designKey')) ?? '',
    owner: { displayName: asText(member(owner, 'displayName')) ?? '', ...text(owner, 'playerId'), ...text(owner, 'nodeId') },
    amenities: (asTexts(member(raw, 'amenities')) ?? []) as readonly Amenity[],
    ...optional('activityObjectIds', asTexts(member(raw, 'activityObjectIds'))),
  }
}

function readAgent(raw: JsonObject, placed: { readonly name: string; readonly x: number; readonly y: number }): Occupant {
  const of = (field: string) => member(raw, field)
  return {
    kind: 'agent', agentId: asText(of('agentId')) ?? '', ...placed,
    nodeId: asText(of('nodeId')) ?? '',
    platform: asText(of('platform')) ?? asText(of('agentType')) ?? '',
    toolNames: asTexts(of('toolNames')) ?? [],
    assistToolNames: asTexts(of('assistToolNames')) ?? [],
    hasChatTool: asBoolean(of('hasChatTool')) ?? false,
    enableP2a: of('enableP2a') === 'on' ? 'on' : 'off',
    stationary: asBoolean(of('stationary')) ?? false,
    zoneCount: asNumber(of('zoneCount')) ?? 0,
    yieldCount: asNumber(of('yieldCount')) ?? 0,
    flagged: asBoolean(of('flagged')) ?? false,
    ...text(raw, 'realtimeInstructions'),
    ...optional('assistTools', readAssistTools(of('assistTools'))),
    ...optional('lastUpdate', readLastUpdate(of('lastUpdate'))),
    ...optional('onZone', readZone(of('onZone'))),
    ...optional('onYield', readYield(of('onYield'))),
  }
}

type AgentView = Extract<Occupant, { kind: 'agent' }>

function readAssistTools(value: unknown): readonly AssistTool[] | undefined {
  return asArray(value)?.flatMap((item) => {
    const name = asText(member(asObject(item), 'name'))
    const parameters = asObject(member(asObject(item), 'parameters'))
    if (!name || parameters === undefined) return []
    return [{ name, parameters, description: asText(member(asObject(item), 'description')) ?? '' }]
  })
}

function readLastUpdate(value: unknown): AgentView['lastUpdate'] {
  const update = asObject(value)
  const steps = asArray(member(asObject(member(update, 'journey')), 'steps'))
  const path = asArray(member(update, 'path'))
  const placed = path?.every((step) => asNumber(member(asObject(step), 'x')) !== undefined && asNumber(member(asObject(step), 'y')) !== undefined)
  const typed = [...(steps ?? []), ...(path ?? [])].every((step) => asText(member(asObject(step), 'type')) !== undefined)
  return steps !== undefined && placed === true && typed ? (update as unknown as AgentView['lastUpdate']) : undefined
}

function readZone(value: unknown): AgentView['onZone'] {
  const mark = asObject(value)
  const zoneCount = asNumber(member(mark, 'zoneCount'))
  const at = asText(member(mark, 'at'))
  if (zoneCount === undefined || at === undefined) return undefined
  return { zoneCount, at, flagged: asBoolean(member(mark, 'flagged')) ?? false }
}

function readYield(value: unknown): AgentView['onYield'] {
  const yieldCount = asNumber(member(asObject(value), 'yieldCount'))
  const at = asText(member(asObject(value), 'at'))
  return yieldCount === undefined || at === undefined ? undefined : { yieldCount, at }
}

/** A member that is there only if its value is. */
function optional<K extends string, V>(name: K, value: V | undefined): Readonly<Partial<Record<K, V>>> {
  return (value === undefined ? {} : { [name]: value }) as Readonly<Partial<Record<K, V>>>
}

function text<K extends string>(raw: JsonObject | undefined, name: K): Readonly<Partial<Record<K, string>>> {
  return optional(name, asText(member(raw, name)))
}
