/**
 * The rows of a world as they travel (protocol reference, "Snapshot"). A row
 * is kept whole: fields that are not named here stay in it, because the chain's
 * root is over whole rows. A host is not trusted with the optional fields of a
 * row; `readOccupant` and `readSpace` give views in which they have their types.
 */

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json
}

/** The map's inclusive limits. */
export interface Bounds {
  readonly minX: number
  readonly minY: number
  readonly maxX: number
  readonly maxY: number
}

/** One `assist_*` tool of an agent; `parameters` is any JSON object, mostly a JSON Schema. */
export interface AssistTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** A step at a journey's start. */
export interface OriginStep {
  readonly type: 'origin'
  readonly content: string
  readonly messageId: string
}

/** A step that called a tool. */
export interface StructureStep {
  readonly type: 'structure'
  readonly toolName: string
  readonly toolCallId: string
  readonly args: Json
  readonly result?: Json
}

/** A step at a journey's end. */
export interface DestinationStep {
  readonly type: 'destination'
  readonly content: string
  readonly messageId: string
}

/** One step of a journey. */
export type JourneyStep = OriginStep | StructureStep | DestinationStep

/** What an agent did to answer one message. Times are RFC 3339. */
export interface Journey {
  readonly steps: readonly JourneyStep[]
  readonly startedAt: string
  readonly completedAt: string
}

/** A journey's step with the place that the host gave it. */
export type PathStep = JourneyStep & {
  readonly x: number
  readonly y: number
  readonly structureId: string
}

/** The last journey of an agent, as its row carries it. */
export interface LastUpdate {
  readonly playerId: string
  readonly journey: Journey
  readonly path: readonly PathStep[]
}

/** The row of an agent. Its `playerId` in events and calls is `agentId`. */
export interface AgentRow {
  readonly kind: 'agent'
  /** The owning main node. */
  readonly nodeId: string
  readonly agentId: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly platform: string
  readonly toolNames: readonly string[]
  readonly assistToolNames: readonly string[]
  readonly assistTools?: readonly AssistTool[]
  readonly hasChatTool: boolean
  readonly enableP2a: 'on' | 'off'
  readonly realtimeInstructions?: string
  readonly stationary: boolean
  readonly lastUpdate?: LastUpdate
  readonly zoneCount: number
  readonly yieldCount: number
  readonly flagged: boolean
  readonly onZone?: { readonly zoneCount: number; readonly flagged: boolean; readonly at: string }
  readonly onYield?: { readonly yieldCount: number; readonly at: string }
}

/** The row of an MCP placement; `nodeId` is its owner. */
export interface McpRow {
  readonly kind: 'mcp'
  readonly id: string
  readonly nodeId: string
  readonly name: string
  readonly url?: string
  readonly x: number
  readonly y: number
}

/** The row of a person; it is read and merged, and made by no route. */
export interface HumanRow {
  readonly kind: 'human'
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly interactive?: boolean
}

/** The row of a building: the place of one or more spaces, or of a game. */
export interface StructureRow {
  readonly kind: 'structure'
  readonly id: string
  readonly name: string
  readonly x: number
  readonly y: number
  readonly worldId: string
  readonly spaceIds: readonly string[]
  readonly gameId?: string
  readonly primaryAmenity?: string
  readonly amenities?: readonly string[]
  readonly stationary: boolean
}

/** A row of the map. */
export type Occupant = AgentRow | McpRow | HumanRow | StructureRow

/** What a space may offer. */
export type Amenity = 'shop' | 'supermarket' | 'car_wash'

/** An entry of `spaces`. */
export interface Space {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly designKey: string
  readonly owner: { readonly displayName: string; readonly playerId?: string; readonly nodeId?: string }
  readonly amenities: readonly Amenity[]
  readonly activityObjectIds?: readonly string[]
}

/** An MCP placement as a snapshot repeats it. */
export interface McpServer {
  readonly id: string
  readonly name: string
  readonly url?: string
}

/**
 * The whole world at one rev. Nothing in it ever changes: a later state is
 * another object, which shares the rows that stayed the same, so that `===`
 * tells whether a row changed.
 */
export interface WorldSnapshot {
  readonly sid: string
  /** The host's root key. */
  readonly mainNodeId: string
  /** The map's revision; absent on hosts that give none. */
  readonly rev?: number
  /** The event log's position; absent on hosts that give none. */
  readonly seq?: number
  /** The chain's root over the rows; 64 lower-case hex digits. */
  readonly merkleRootHex?: string
  /** The chain's number of leaves. */
  readonly merkleLeafCount?: number
  readonly worldMap: {
    readonly bounds: Bounds
    /** The rows in chain order. */
    readonly occupants: readonly Occupant[]
  }
  /** The spaces in chain order. */
  readonly spaces: readonly Space[]
  /** The mcp rows again, without their places. */
  readonly mcpServers: readonly McpServer[]
}
