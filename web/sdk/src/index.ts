/// <reference lib="esnext.disposable" preserve="true" />
/**
 * A client of playctl worlds for Node and browsers: agents on the map, journeys
 * and chat, intercom, and a live copy of the world that is verified against the
 * host's root after every event.
 *
 * @packageDocumentation
 */
export { type ChainRoot, playerChainRoot } from './chain/copy.js'
export { PLAYER_CHAIN_GENESIS_STABLE_KEY, PLAYER_CHAIN_HEADER_STABLE_KEY, compareKeys } from './chain/keys.js'
export { mergeSnapshotWithPlayerChainNode } from './chain/merge.js'
export { parsePlayerChainNodeRpcBody } from './chain/node.js'
export { type ProofLevel, type ProvedLeaf, proveLeaf } from './chain/proof.js'
export { PastWorld } from './chain/past.js'
export {
  type PlayerChainNodeRef,
  type PlayerChainNotify,
  parsePlayerChainFanoutNotify,
  parsePlayerChainFanoutNotifyFromSsePayload,
  sortNodeRefsForSerializedFetch,
} from './chain/notify.js'
export { ChainError, readOccupant, readSpace, spaceKeyOf, stableKeyOf } from './chain/row.js'
export * from './credentials/derive.js'
export type { NodeCredentials } from './credentials/resolve.js'
export { WorldClient, createClient } from './http/client.js'
export type * from './http/options.js'
export { briskRetry, noRetry, patientRetry } from './http/options.js'
export { randomText } from './http/wait.js'
export { canonicalJson } from './json/canonical.js'
export { JsonError, parseJson } from './json/parse.js'
export { asArray, asNumber, asObject, asText } from './json/read.js'
export type {
  ChainNode as PlayerChainNode, ChainNodeReply as PlayerChainNodeReply, ChainNodesReply as PlayerChainNodesReply,
} from './protocol/contract.js'
export type * from './protocol/contract.js'
export { activityStates, amenities, capabilities, errorStatuses, eventKinds, limits } from './protocol/contract.js'
export * from './protocol/errors.js'
export type * from './protocol/events.js'
export { eventSubject, eventTime, isEvent, readEvent } from './protocol/events.js'
export { FrameError } from './stream/frames.js'
export { subscribeWorld } from './subscription/subscribe.js'
export type * from './subscription/types.js'
export type { ActivityOptions } from './world/activity.js'
export { type AddAgentOptions, Agent } from './world/agent.js'
export { HUMAN_LABEL, type IntercomQuestion } from './world/ask.js'
export { type EventOptions, type EventSubscription, subscribeEvents } from './world/events.js'
export { type AgentProgram, type ChatMessage } from './tools/program.js'
export { JourneyRecorder, type Redact } from './tools/recorder.js'
export type { ArgsOf, JsonSchema, StandardSchema, ToolInput } from './tools/schema.js'
export { type AgentTool, type Answer, type Asked, type ToolDefinition, tool } from './tools/tool.js'
export { type ConnectOptions, connect } from './world/connect.js'
export type { EventOf, EventsOptions } from './world/event_loop.js'
export { type Exchange, exchangeIn, exchangeOf, nextExchange } from './world/exchange.js'
export { ASSIST_TOOL_PREFIX, CHAT_TOOL, type FrameworkRegistration, type Tool, frameworkRegistration } from './world/framework.js'
export type { Hold } from './world/hold.js'
export type { IntercomAnswer, IntercomCall, IntercomOptions, IntercomSubscription } from './world/intercom_types.js'
export { type MainNodeOptions, createMainNode } from './world/main_node.js'
export type * from './world/options.js'
export { type PastEvents, type PastOptions, oldestPosition, pastEvents } from './world/past.js'
export type { Mcp } from './world/placements.js'
export { RemotePlayWorld } from './world/remote.js'
