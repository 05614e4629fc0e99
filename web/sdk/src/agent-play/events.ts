import type { Interaction } from '../protocol/contract.js'

/** The world was connected: `detail.sid` is the session's id. */
export const SESSION_CONNECTED_EVENT = 'session:connected'
/** The world was closed. */
export const SESSION_CLOSED_EVENT = 'session:closed'
/** The session is no longer valid. `RemotePlayWorld` does not report it: it continues in the new session. */
export const SESSION_INVALID_EVENT = 'session:invalid'
/** A stream was opened. `RemotePlayWorld` does not report it. */
export const SESSION_SSE_OPEN_EVENT = 'session:sse_open'
/** A stream failed. `RemotePlayWorld` does not report it: it connects again. */
export const SESSION_SSE_ERROR_EVENT = 'session:sse_error'

/** An agent was put on the map. */
export const PLAYER_ADDED_EVENT = 'world:player_added'
/** A chat line was recorded. */
export const WORLD_INTERACTION_EVENT = 'world:interaction'
/** An agent reported a zone, a yield, a tool call or a conversation. */
export const WORLD_AGENT_SIGNAL_EVENT = 'world:agent_signal'
/** A journey was recorded. */
export const WORLD_JOURNEY_EVENT = 'world:journey'
/** A person moved, at hosts of the agent-play service; hosts of this protocol do not send it. */
export const WORLD_GEOGRAPHY_EVENT = 'world:geography'

/** An event of the session, which `onSessionEvent` gets. */
export interface RemotePlayWorldSessionEvent {
  /** `session:connected` or `session:closed`. */
  readonly name: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The data of a `world:interaction` event. */
export type WorldInteractionPayload = Interaction

/** The data of a `world:agent_signal` event. */
export interface WorldAgentSignalPayload {
  readonly playerId: string
  readonly kind: 'zone' | 'yield' | 'assist' | 'chat' | 'metadata' | 'journey'
  readonly data?: Readonly<Record<string, unknown>>
}
