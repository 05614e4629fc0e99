import { asObject, asText, member } from '../json/read.js'
import type { JsonObject, Journey, McpRow, AgentRow, PathStep } from './rows.js'

/** The names of the events that a host sends (protocol reference, "Events"). */
export type EventKind =
  | 'world:player_added'
  | 'world:player_removed'
  | 'world:mcp_registered'
  | 'world:mcp_unregistered'
  | 'world:interaction'
  | 'world:journey'
  | 'world:agent_signal'
  | 'world:space_changed'
  | 'world:intercom'
  | 'session:reset'
  | 'session:resync'

/** One of some names, which an editor completes, or another text that a newer host sends. */
export type NamedOr<Name extends string> = Name | (string & Record<never, never>)

/** Who said a line. */
export type InteractionRole = 'user' | 'assistant' | 'tool'

/** A chat line. `at` is RFC 3339, `seq` its event's. */
export interface Interaction {
  readonly playerId: string
  readonly role: InteractionRole
  readonly text: string
  readonly at: string
  readonly seq: number
}

/** What is asked of an agent. */
export type IntercomKind = 'assist' | 'chat' | 'realtime'

/** Where a command stands. */
export type IntercomStatus = 'started' | 'forwarded' | 'stream' | 'completed' | 'failed'

/** A command to an agent. `fromPlayerId` is the asker, `toPlayerId` the agent. */
export interface IntercomCommand {
  readonly requestId: string
  readonly mainNodeId: string
  readonly fromPlayerId: string
  readonly toPlayerId: string
  readonly kind: IntercomKind
  readonly toolName?: string
  readonly args?: JsonObject
  readonly text?: string
}

/**
 * What happens to a command. In `started` and `forwarded`, as in every answer,
 * `fromPlayerId` is the agent and `toPlayerId` the asker.
 */
export interface IntercomEventData {
  readonly requestId: string
  readonly mainNodeId: string
  readonly toPlayerId: string
  readonly fromPlayerId: string
  readonly kind: IntercomKind
  readonly status: IntercomStatus
  readonly ts: string
  readonly toolName?: string
  readonly message?: string
  readonly result?: JsonObject
  readonly error?: string
  readonly channelKey?: string
  /** The command, where the status is `forwarded`. */
  readonly command?: IntercomCommand
}

/** The own fields of each event, by its name. */
export interface EventFields {
  'world:player_added': { readonly player: AgentRow }
  'world:player_removed': { readonly playerId: string; readonly reason: string }
  'world:mcp_registered': { readonly mcp: McpRow }
  'world:mcp_unregistered': { readonly id: string; readonly reason: string }
  'world:interaction': Interaction
  'world:journey': { readonly playerId: string; readonly journey: Journey; readonly path: readonly PathStep[] }
  'world:agent_signal': { readonly playerId: string; readonly kind: string; readonly data: JsonObject }
  'world:space_changed': { readonly spaceId: string; readonly action: 'created' | 'changed' | 'removed' }
  'world:intercom': IntercomEventData
  'session:reset': { readonly reason: string; readonly sid: string }
  'session:resync': { readonly reason: string }
}

/** An event of the stream. */
export interface WorldEvent<K extends string = NamedOr<EventKind>> {
  /** Its position in the host's log; absent on hosts that number no events. */
  readonly seq?: number
  /** Its name, mostly an `EventKind`; a newer host may send others. */
  readonly kind: K
  /**
   * Its JSON, beside the own fields also `rev`, `merkleRootHex`,
   * `merkleLeafCount`, `playerChainNotify` and, where asked for,
   * `playerChainNodes`. Checked to be an object, no more: use `isEvent`.
   */
  readonly data: JsonObject
}

/** When an event happened, in milliseconds since 1970; undefined where it does not say. */
export function eventTime(event: WorldEvent): number | undefined {
  const { data } = event
  for (const text of [data.at, data.ts, member(asObject(data.playerChainNotify), 'updatedAt')]) {
    const time = Date.parse(asText(text) ?? '')
    if (!Number.isNaN(time)) return time
  }
  return undefined
}

/**
 * Reports whether an event is of a kind and gives its data that type. The data is
 * as the host sent it: a page that shows it to people should still expect a
 * field of the wrong type from a host that it does not trust.
 */
export function isEvent<K extends EventKind>(
  event: WorldEvent,
  kind: K,
): event is WorldEvent<K> & { readonly data: EventFields[K] & JsonObject } {
  return event.kind === kind
}
