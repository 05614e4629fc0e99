/**
 * What `@agent-play/sdk/browser` has for pages that read the world with a transport of their own, under its names. Everything
 * of the entry `@playctl/sdk/agent-play` runs in browsers as well.
 *
 * @packageDocumentation
 */
export { PLAYER_CHAIN_GENESIS_STABLE_KEY, PLAYER_CHAIN_HEADER_STABLE_KEY } from '../chain/keys.js'
export { mergeSnapshotWithPlayerChainNode } from '../chain/merge.js'
export { parsePlayerChainNodeRpcBody } from '../chain/node.js'
export { parsePlayerChainFanoutNotify, parsePlayerChainFanoutNotifyFromSsePayload, sortNodeRefsForSerializedFetch } from '../chain/notify.js'
export { boundsContain, clampWorldPosition } from './bounds.js'
export type { AgentPlaySnapshot, WorldBounds } from './options.js'
