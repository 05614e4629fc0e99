import type { JourneyRecorder } from '../tools/recorder.js'

/** How what a tool gave begins where the SDK's own words stand for a failure; a tool with `errorFunction` has words of its own. */
const failure = 'An error occurred while running the tool'

/** What of an item of a run is used. */
interface RunItem {
  readonly type?: unknown
  readonly output?: unknown
  readonly rawItem?: { readonly type?: unknown; readonly callId?: unknown; readonly name?: unknown; readonly arguments?: unknown }
}

/** Notes a call of a function, or what it gave. */
export function noteItem(journey: JourneyRecorder, item: unknown): void {
  const { type, output, rawItem = {} } = (item ?? {}) as RunItem
  const id = String(rawItem.callId)
  if (type === 'tool_call_item' && rawItem.type === 'function_call') journey.call(String(rawItem.name), argumentsOf(rawItem.arguments), id)
  if (type === 'tool_call_output_item' && rawItem.type === 'function_call_result') noteOutput(journey, id, output)
}

/** Notes what a function gave. Why it failed is not in it. */
function noteOutput(journey: JourneyRecorder, id: string, output: unknown): void {
  if (isFailure(output)) journey.failed(id, 'failed')
  else journey.result(id, output)
}

/** Reports whether what a function gave are the SDK's words for a failure. */
export function isFailure(output: unknown): output is string {
  return typeof output === 'string' && output.startsWith(failure)
}

/** The arguments of a call, which are JSON in a text. */
export function argumentsOf(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text === '' ? {} : { input: text }
  }
}
