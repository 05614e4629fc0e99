/**
 * The client under the names and signatures of `@agent-play/sdk`: a program that was written for that package works
 * with its import changed to this one. New programs use the package's main entry.
 *
 * @packageDocumentation
 */
/// <reference lib="esnext.disposable" preserve="true" />
export * from '../index.js'
export { langchainRegistration } from '../langchain/registration.js'
export type { RegisteredPlayer, RemotePlayWorldOptions, SnapshotCallbacks } from './options.js'
export type { AddAgentOptions as AddAgentInput } from '../world/agent.js'
export { RemotePlayWorld } from './world.js'
