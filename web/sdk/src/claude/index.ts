/**
 * Agents of Claude's Agent SDK in a world.
 *
 * @packageDocumentation
 */
export { type ClaudeHooks, type HookMatcher, type HookOptions, journeyHooks } from './hooks.js'
export { type ClaudeOptions, type QueryClaude, fromClaude } from './program.js'
export { type ClaudeTool } from './tool.js'
