import { isObject, numberOf, objectsOf, stringOf, stringsOf, type JsonObject } from './json.js'
import { readJourney, type JourneyRecord } from './journeys.js'

/**
 * The rows of a world as the panels show them: every field is there and of its
 * type, whatever a host or an agent put into the row. The rows themselves stay
 * as they came in the client's copy, which the root is computed from.
 */
interface Placed {
  readonly key: string
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
}

/** A tool that an agent offers to people. */
export interface AssistTool {
  readonly name: string
  readonly description: string
  /** A JSON Schema, or whatever else the agent calls its parameters. */
  readonly parameters: unknown
}

export interface AgentRow extends Placed {
  readonly kind: 'agent'
  /** The main node that the agent belongs to. */
  readonly nodeId: string
  readonly platform: string
  readonly toolNames: readonly string[]
  readonly assistTools: readonly AssistTool[]
  readonly hasChatTool: boolean
  readonly enableP2a: boolean
  readonly realtimeInstructions: string
  readonly stationary: boolean
  readonly zoneCount: number
  readonly yieldCount: number
  readonly flagged: boolean
  readonly journey: JourneyRecord | undefined
}

export interface McpRow extends Placed {
  readonly kind: 'mcp'
  readonly nodeId: string
  readonly url: string
}

export interface HumanRow extends Placed {
  readonly kind: 'human'
}

export interface StructureRow extends Placed {
  readonly kind: 'structure'
  readonly spaceIds: readonly string[]
  readonly amenities: readonly string[]
}

export type OccupantRow = AgentRow | McpRow | HumanRow | StructureRow

export interface SpaceRow {
  readonly kind: 'space'
  readonly key: string
  readonly id: string
  readonly name: string
  readonly description: string
  readonly designKey: string
  readonly owner: string
  readonly ownerNodeId: string
  readonly amenities: readonly string[]
  readonly activityObjectIds: readonly string[]
}

/** Anything that a person can select. */
export type Thing = OccupantRow | SpaceRow

const read = new WeakMap<JsonObject, OccupantRow>()

/**
 * Reads an occupant's row; undefined for one of a kind that this page does not
 * know. A row that did not change gives the same again, so that what shows it
 * need not be made anew with every change of another.
 */
export function readOccupant(row: unknown): OccupantRow | undefined {
  if (!isObject(row)) {
    return undefined
  }
  const known = read.get(row) ?? readKind(row)
  if (known !== undefined) {
    read.set(row, known)
  }
  return known
}

function readKind(row: JsonObject): OccupantRow | undefined {
  switch (row.kind) {
    case 'agent': return readAgent(row)
    case 'mcp': return { kind: 'mcp', ...placed(row, 'mcp'), nodeId: stringOf(row.nodeId), url: stringOf(row.url) }
    case 'human': return { kind: 'human', ...placed(row, 'human') }
    case 'structure': return {
      kind: 'structure', ...placed(row, 'structure'),
      spaceIds: stringsOf(row.spaceIds), amenities: stringsOf(row.amenities),
    }
    default: return undefined
  }
}

function placed(row: JsonObject, prefix: string): Placed {
  const id = stringOf(row.id)
  return { key: `${prefix}:${id}`, id, name: stringOf(row.name), x: numberOf(row.x), y: numberOf(row.y) }
}

function readAgent(row: JsonObject): AgentRow {
  const id = stringOf(row.agentId)
  const nodeId = stringOf(row.nodeId)
  return {
    kind: 'agent', key: `agent:${nodeId}:${id}`, id, nodeId,
    name: stringOf(row.name), x: numberOf(row.x), y: numberOf(row.y),
    platform: stringOf(row.platform, stringOf(row.agentType)),
    toolNames: stringsOf(row.toolNames),
    assistTools: readAssistTools(row),
    hasChatTool: row.hasChatTool === true,
    enableP2a: row.enableP2a === 'on',
    realtimeInstructions: stringOf(row.realtimeInstructions),
    stationary: row.stationary !== false,
    zoneCount: numberOf(row.zoneCount),
    yieldCount: numberOf(row.yieldCount),
    flagged: row.flagged === true,
    journey: readJourney(row.lastUpdate),
  }
}

/**
 * The tools that people may call: those described, then those that are only
 * named, which may take anything.
 */
function readAssistTools(row: JsonObject): readonly AssistTool[] {
  const described = objectsOf(row.assistTools)
    .map((tool) => ({ name: stringOf(tool.name), description: stringOf(tool.description), parameters: tool.parameters }))
    .filter((tool) => tool.name !== '')
  const known = new Set(described.map((tool) => tool.name))
  const named = stringsOf(row.assistToolNames).filter((name) => !known.has(name))
  return [...described, ...named.map((name) => ({ name, description: '', parameters: undefined }))]
}

/** Reads a space's row. */
export function readSpace(row: unknown): SpaceRow | undefined {
  if (!isObject(row) || typeof row.id !== 'string') {
    return undefined
  }
  const owner = isObject(row.owner) ? row.owner : {}
  return {
    kind: 'space', key: `space:${row.id}`, id: row.id,
    name: stringOf(row.name), description: stringOf(row.description), designKey: stringOf(row.designKey),
    owner: stringOf(owner.displayName), ownerNodeId: stringOf(owner.nodeId),
    amenities: stringsOf(row.amenities), activityObjectIds: stringsOf(row.activityObjectIds),
  }
}
