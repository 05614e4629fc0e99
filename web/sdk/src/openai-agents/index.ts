/**
 * Agents of OpenAI's Agents SDK in a world.
 *
 * @packageDocumentation
 */
export { type OpenAiAgent, type OpenAiAgentsOptions, type OpenAiTool, type RunAgent, fromOpenAiAgents } from './program.js'
export { type JourneyProcessor, type ProcessorOptions, type TraceOfRun, type TraceSpan, journeyProcessor } from './processor.js'
