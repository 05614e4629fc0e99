import type { Interaction, InteractionRole } from './events.js'
import type { JsonObject, Journey, PathStep, Space, StructureRow } from './rows.js'

/** What a host can do beside the base of the protocol. */
export type Capability =
  | 'chain-nodes'
  | 'chain-at-rev'
  | 'chain-proof'
  | 'chain-inline'
  | 'resume'
  | 'interactions'
  | 'idempotency'
  | 'min-rev'

/** The world's session. */
export interface SessionReply {
  readonly sid: string
  readonly rev?: number
  readonly seq?: number
  readonly capabilities?: readonly string[]
}

/** The reply of a write without a result. */
export interface OkReply {
  readonly ok: boolean
}

/** What asks an agent to be put on the map. */
export interface RegisterRequest {
  readonly name: string
  readonly type: string
  readonly agent: {
    readonly type: string
    readonly toolNames: readonly string[]
    readonly assistTools?: readonly { readonly name: string; readonly description: string; readonly parameters: JsonObject }[]
  }
  readonly agentId: string
  readonly mainNodeId?: string
  readonly passwHash?: string
  readonly apiKey?: string
  readonly connectionId?: string
  readonly leaseTtlSeconds?: number
  readonly enableP2a?: 'on' | 'off'
  readonly realtimeInstructions?: string
}

/** The reply of a registration; the two fields of the lease are null where there is none. */
export interface RegisterReply {
  readonly playerId: string
  readonly previewUrl: string
  readonly registeredAgent: {
    readonly agentId: string
    readonly name: string
    readonly toolNames: readonly string[]
    readonly zoneCount: number
    readonly yieldCount: number
    readonly flagged: boolean
  }
  readonly connectionId: string | null
  readonly leaseTtlSeconds: number | null
  readonly enableP2a: 'on' | 'off'
}

/** The reply of a heartbeat: the term that was granted, in seconds. */
export interface HeartbeatReply extends OkReply {
  readonly leaseTtlSeconds: number
}

/** A chat line to record. */
export interface RecordInteractionRequest {
  readonly playerId: string
  readonly role: InteractionRole
  readonly text: string
}

/** The reply of `recordInteraction`; `seq` is absent where the text was blank and nothing was recorded. */
export interface RecordInteractionReply extends OkReply {
  readonly seq?: number
}

/** The reply of `recordJourney`. */
export interface RecordJourneyReply extends OkReply {
  readonly rev?: number
}

/** What a listing is asked for. */
export interface ListRequest {
  /** Whose; everybody's unless it is given. */
  readonly playerId?: string
  /** At most so many, 100 unless it is given, at most 1,000. */
  readonly limit?: number
  /** Only what is older than this position. */
  readonly beforeSeq?: number
}

/** A page of chat lines, newest last. */
export interface InteractionsReply {
  readonly interactions: readonly Interaction[]
  readonly hasMore: boolean
}

/** A recorded journey with the places of its steps. */
export interface JourneyRecord {
  readonly playerId: string
  readonly journey: Journey
  readonly path: readonly PathStep[]
  readonly at: string
  readonly seq: number
}

/** A page of journeys, newest last. */
export interface JourneysReply {
  readonly journeys: readonly JourneyRecord[]
  readonly hasMore: boolean
}

/** What asks for a space without a place on the map. */
export interface RegisterSpaceRequest {
  readonly id?: string
  readonly name: string
  readonly description?: string
  readonly designKey: string
  readonly owner: { readonly displayName: string; readonly playerId?: string }
  readonly amenities: readonly string[]
}

/** What asks for a space with its node and its structure on the map. */
export interface CreateSpaceRequest {
  readonly name: string
  readonly designKey: string
  readonly ownerDisplayName: string
  readonly description?: string
  readonly structureName?: string
  readonly amenities?: readonly string[]
}

/** The reply of `createSpace`; the phrase is a secret that is shown once. */
export interface CreateSpaceReply {
  readonly spaceId: string
  readonly nodeId: string
  readonly phrase: string
  readonly structure: StructureRow
}

/** The reply of `inspectSpace`; the log is absent for callers that may not see it. */
export interface InspectSpaceReply {
  readonly space: Space
  readonly log?: readonly { readonly at: string; readonly action: string; readonly by?: string; readonly detail?: string }[]
}

/** The reply of `POST /api/nodes`; the key or the phrase is a secret that is shown once. */
export interface CreateNodeReply {
  readonly nodeId: string
  readonly apiKey?: string
  readonly phrase?: string
}

/** An agent node as listings show it; name and tools are empty until it registered. */
export interface AgentRecord {
  readonly agentId: string
  readonly name: string
  readonly toolNames: readonly string[]
  readonly zoneCount: number
  readonly yieldCount: number
  readonly flagged: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

/** A main node with its agent nodes. */
export interface NodesReply {
  readonly genesisNodeId: string
  readonly mainNode: {
    readonly nodeId: string
    readonly kind: string
    readonly parentNodeId: string
    readonly createdAt: string
    readonly agentNodeIds: readonly string[]
  }
  readonly agentNodes: readonly AgentRecord[]
}

/** Whether a node exists, derives from the root key and belongs to its owner. */
export interface ValidateReply extends OkReply {
  readonly reason?: string
  readonly nodeKind?: string
}

/** What the watch page's cookie allows: to look, or to ask agents as well. */
export type WatchScope = 'watch' | 'act'

/** The reply of `POST /<service>/watch/session`. */
export interface WatchSessionReply {
  readonly scope: WatchScope
  /** When the cookie ends, as RFC 3339. */
  readonly expiresAt: string
}

/** What signals that someone met an agent on the map. */
export interface ProximityRequest {
  readonly fromPlayerId: string
  readonly toPlayerId: string
  readonly action: 'assist' | 'chat' | 'zone' | 'yield'
}

/** What calls a tool of an agent for a person. */
export interface AssistToolRequest {
  readonly targetPlayerId: string
  readonly toolName: string
  readonly args: JsonObject
}
