/**
 * Agents of the Vercel AI SDK in a world.
 *
 * @packageDocumentation
 */
export { type AiAgent, type AiOptions, type AiTool, fromAiSdk } from './program.js'
export { type AiRun, type RunOptions, recordRun } from './run.js'
