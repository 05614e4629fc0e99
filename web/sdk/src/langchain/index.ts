/**
 * Agents of LangChain and LangGraph in a world.
 *
 * @packageDocumentation
 */
export { type JourneyOptions, type RunCallbacks, journeyCallbacks } from './callbacks.js'
export { type LangChainOptions, type LangChainTool, type Runnable, fromLangChain } from './program.js'
export { langchainRegistration } from './registration.js'
