import { jsonOr } from '../json/read.js'
import type { JourneyRecorder } from '../tools/recorder.js'

/** The start of the SDK's default output for a failed tool; a tool with `errorFunction` has its own text. */
const failure = 'An error occurred while running the tool'

/** The used members of an item of a run. */
interface RunItem {
  readonly type?: unknown
  readonly output?: unknown
  readonly rawItem?: { readonly type?: unknown; readonly callId?: unknown; readonly name?: unknown; readonly arguments?: unknown }
}

/** Is called when a tool of an agent has ended. */
type ToolEnded = (toolCallId: string, output: unknown) => void

/** The used members of an agent that reports what it does. */
export interface Reporting {
  readonly on?: (event: never, listener: never) => unknown
  readonly off?: (event: never, listener: never) => unknown
}

const listeners = new WeakMap<object, Set<ToolEnded>>()

/**
 * Calls a function when a tool of an agent ends, until the returned function is called. A stream has the outputs of
 * parallel calls only when all have ended.
 */
export function onToolEnd(agent: Reporting, listener: ToolEnded): () => void {
  let all = listeners.get(agent)
  if (all === undefined) {
    const added = new Set<ToolEnded>()
    all = added
    listeners.set(agent, added)
    agent.on?.('agent_tool_end' as never, ((_context: unknown, _tool: unknown, output: unknown, details?: { readonly toolCall?: { readonly callId?: unknown } }) => {
      for (const ended of added) ended(String(details?.toolCall?.callId), output)
    }) as never)
  }
  all.add(listener)
  return () => { all.delete(listener) }
}

/** Calls a function when an agent begins to work, until the returned function is called. */
export function onStart(agent: Reporting, listener: () => void): () => void {
  agent.on?.('agent_start' as never, listener as never)
  return () => { agent.off?.('agent_start' as never, listener as never) }
}

/** Notes a function call, its output, or that it waits for an approval. */
export function noteItem(journey: JourneyRecorder, item: unknown): void {
  const { type, output, rawItem = {} } = (item ?? {}) as RunItem
  const id = String(rawItem.callId)
  if (type === 'tool_call_item' && rawItem.type === 'function_call') journey.call(String(rawItem.name), argumentsOf(rawItem.arguments), id)
  if (type === 'tool_approval_item') {
    journey.run?.dropped(id)
    journey.run?.waits(id, String(rawItem.name))
  }
  if (type === 'tool_call_output_item' && rawItem.type === 'function_call_result') noteOutput(journey, id, output)
}

/** Notes the output of a function. It does not contain the cause of a failure. */
function noteOutput(journey: JourneyRecorder, id: string, output: unknown): void {
  if (isFailure(output)) journey.failed(id, 'failed')
  else journey.result(id, output)
}

/** Reports whether the output of a function is the SDK's default text for a failure. */
export function isFailure(output: unknown): output is string {
  return typeof output === 'string' && output.startsWith(failure)
}

/** Returns the arguments of a call, parsed from their JSON text. */
export function argumentsOf(text: unknown): unknown {
  return jsonOr(text, text === '' ? {} : { input: text })
}
