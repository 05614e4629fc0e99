import type { PlayerChainNodeRef, PlayerChainNotify } from '../chain/notify.js'
import type { AddAgentOptions, Agent } from '../world/agent.js'
import type { OptionNames } from '../protocol/options.js'
import { type RemotePlayWorldOptions as WorldOptions, worldOptions } from '../world/options.js'
import type {
  AgentRow, AgentSpec, AssistTool, Bounds, ChainNode, IntercomEventData, InteractionRole, LastUpdate, McpRow, PathStep, RecordInteractionRequest,
  RegisteredAgent, Switch, WorldMap, WorldSnapshot, YieldMark, ZoneMark,
} from '../protocol/contract.js'
import type { RemotePlayWorldSessionEvent } from './events.js'

/** Whether a `RemotePlayWorld` prints what happens. */
export type RemotePlayWorldLogging = 'on' | 'off'

/** Credentials of a main node. `passw` is its phrase, a secret, which is hashed here and never sent. */
export interface RemotePlayWorldNodeCredentials {
  readonly rootKey: string
  readonly passw: string
}

/**
 * The options of a `RemotePlayWorld`. `passw` of credentials may be a phrase, which is hashed here and never sent. Without credentials it
 * uses those of the file that `resolveAgentPlayCredentialsPath` names, else those that `connect` of the main entry finds.
 * Credentials without `baseUrl` are an `OptionError`, unless that file names the host.
 */
export interface RemotePlayWorldOptions extends Partial<WorldOptions> {
  /** `on` prints each event and each error. */
  readonly logging?: RemotePlayWorldLogging
  /** Called with `session:connected` after each `connect`, and with `session:closed` when the world was closed. */
  readonly onSessionEvent?: (event: RemotePlayWorldSessionEvent) => void | Promise<void>
}

/** The names of the options of a `RemotePlayWorld`. @internal */
export const playWorldOptions: OptionNames<RemotePlayWorldOptions> = { ...worldOptions, logging: true, onSessionEvent: true }

/** The options of `connect`. */
export interface RemotePlayWorldConnectOptions {
  /** The id that the main node must have; another one is an `OptionError`. */
  readonly mainNodeId?: string
}

/** Settings of a realtime conversation at OpenAI. `apiKey` is a secret. */
export interface RemotePlayWorldOpenAiAudioOptions {
  readonly apiKey?: string
  readonly model?: string
  readonly voice?: string
  readonly instructions?: string
  readonly instructionsTemplate?: string
}

/** The options of `initAudio`, which have no effect here. */
export interface RemotePlayWorldInitAudioOptions {
  readonly openai: RemotePlayWorldOpenAiAudioOptions
}

/** A secret for a realtime conversation, which this client never creates. */
export interface RealtimeWebrtcClientSecret {
  readonly clientSecret: string
  readonly expiresAt?: string
  readonly model: string
  readonly voice?: string
}

/** Waits, to keep a program running. */
export interface RemotePlayWorldHold {
  /** Waits for a time in seconds, or until the world is closed. A time that is no finite number is an `OptionError`. */
  readonly for: (seconds: number) => Promise<void>
}

/** What is known about an agent of this program. */
export interface PlayAgentInformation {
  readonly id: string
  readonly name: string
  readonly sid: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An agent on the map. */
export interface RegisteredPlayer extends PlayAgentInformation {
  /** The address of the page that shows the world. */
  readonly previewUrl: string
  readonly registeredAgent: RegisteredAgentSummary
  /** Whether people may talk to the agent. */
  readonly enableP2a: P2aEnableFlag
  /** Never set: this client creates no secrets for realtime conversations. */
  readonly realtimeWebrtc?: RealtimeWebrtcClientSecret
  /** The id of the connection that holds the agent on the map; absent for a permanent agent. */
  readonly connectionId?: string
  /** The term of its lease, which the client renews; absent for a permanent agent. */
  readonly leaseTtlSeconds?: number
  /** The same agent as an object of the main entry, with its further methods. */
  readonly agent: Agent
}

/** The callbacks of `subscribeWorldState`. */
export interface SnapshotCallbacks {
  /** Called with the whole world after the first read and after each change. */
  readonly onSnapshot: (snapshot: AgentPlaySnapshot) => void | Promise<void>
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
  /** Called for each command to an agent and each answer that the caller may see. */
  readonly onIntercomEvent?: (event: IntercomEventData) => void | Promise<void>
}

/** The names and the type of an agent. */
export interface PlatformAgentInformation {
  readonly name: string
  readonly type: string
  readonly version?: string
  readonly createdAt?: Date
  readonly updatedAt?: Date
}

/** The options of `addAgent`. */
export type AddAgentInput = AddAgentOptions
/** The options of `addPlayer`. */
export type AddPlayerInput = AddAgentOptions
/** Whether people may talk to an agent. */
export type P2aEnableFlag = Switch
/** The tools of an agent, as `langchainRegistration` returns them. */
export type LangChainAgentRegistration = AgentSpec
/** A tool that people may call. Its `parameters` are a JSON Schema. */
export type AssistToolSpec = AssistTool
/** The data of an agent that the host keeps. */
export type RegisteredAgentSummary = RegisteredAgent
/** The options of `recordInteraction`. */
export type RecordInteractionInput = RecordInteractionRequest
/** The role of the speaker of a chat line. */
export type WorldInteractionRole = InteractionRole
/** The last zone signal of an agent. */
export type ZoneEventInfo = ZoneMark
/** The last yield signal of an agent. */
export type YieldEventInfo = YieldMark

/** The first step of a journey. */
export interface OriginJourneyStep {
  type: 'origin'
  content: string
  messageId: string
}

/** A tool call in a journey. */
export interface StructureJourneyStep {
  type: 'structure'
  toolName: string
  toolCallId: string
  args: Record<string, unknown>
  result?: string
}

/** The last step of a journey. */
export interface DestinationJourneyStep {
  type: 'destination'
  content: string
  messageId: string
}

/** A step of a journey. */
export type JourneyStep = OriginJourneyStep | StructureJourneyStep | DestinationJourneyStep

/** A journey. */
export interface Journey {
  steps: JourneyStep[]
  startedAt: Date
  completedAt: Date
}

/** A step of a journey with its place on the map. */
export type PositionedStep = PathStep
/** The data of a `world:journey` event. */
export type WorldJourneyUpdate = LastUpdate

/** The whole world. */
export type AgentPlaySnapshot = WorldSnapshot
/** The map with its occupants. */
export type AgentPlayWorldMap = WorldMap
/** The limits of a map. */
export type AgentPlayWorldMapBounds = Bounds
/** The limits of a map. */
export type WorldBounds = Bounds
/** The row of an agent. */
export type AgentPlayWorldMapAgentOccupant = AgentRow
/** The row of an MCP placement. */
export type AgentPlayWorldMapMcpOccupant = McpRow

/** The leaves of the player chain that an event changed. */
export type PlayerChainFanoutNotify = PlayerChainNotify
/** One of those leaves. */
export type PlayerChainNotifyNodeRef = PlayerChainNodeRef
/** A node of the player chain. */
export type PlayerChainNodeResponse = ChainNode
/** The first node of the player chain. */
export type PlayerChainGenesisNode = Extract<ChainNode, { kind: 'genesis' }>
/** The node of the session and the map's limits. */
export type PlayerChainHeaderNode = Extract<ChainNode, { kind: 'header' }>
/** The node of an occupant. */
export type PlayerChainOccupantPresentNode = Extract<ChainNode, { kind: 'occupant'; removed: false }>
/** The node of an occupant that is not on the map. */
export type PlayerChainOccupantRemovedNode = Extract<ChainNode, { removed: true }>
