/**
 * The client under the names and signatures of `@agent-play/sdk`: a program that was written for that package works
 * with its import changed to this one, unless it uses one of the names that docs/typescript.md lists. New programs use the
 * package's main entry.
 *
 * @packageDocumentation
 */
/// <reference lib="esnext.disposable" preserve="true" />
export * from '../index.js'
export { langchainRegistration } from '../langchain/registration.js'
export { boundsContain, clampWorldPosition } from './bounds.js'
export { type IntercomToolExecutor, type SubscribeIntercomCommandsOptions, intercomResultRecordFromLangChainInvokeOutput } from './commands.js'
export {
  type AgentPlayAgentNodeEntry, type AgentPlayCredentialsFile, loadAgentPlayCredentialsFileFromPath, loadAgentPlayCredentialsFileFromPathSync, loadRootKey,
  nodeCredentialFromPasswHash, parseAgentPlayCredentialsJson, resolveAgentPlayCredentialsPath, verifyStoredNodeCredential,
} from './credentials.js'
export { agentPlayDebug, configureAgentPlayDebug, isAgentPlayDebugEnabled, resetAgentPlayDebug } from './debug.js'
export type * from './events.js'
export {
  PLAYER_ADDED_EVENT, SESSION_CLOSED_EVENT, SESSION_CONNECTED_EVENT, SESSION_INVALID_EVENT, SESSION_SSE_ERROR_EVENT, SESSION_SSE_OPEN_EVENT,
  WORLD_AGENT_SIGNAL_EVENT, WORLD_GEOGRAPHY_EVENT, WORLD_INTERACTION_EVENT, WORLD_JOURNEY_EVENT,
} from './events.js'
export type { Journey, JourneyStep, RemotePlayWorldOptions } from './options.js'
export type * from './options.js'
export { RemotePlayWorld } from './world.js'
