import { randomText } from '../http/wait.js'
import { asObject, asText } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'
import { type ModelUsage, countOf, usageIn } from '../tools/activity.js'
import type { AdapterOptions, AgentProgram, ChatMessage } from '../tools/program.js'
import type { JourneyRecorder, Redact } from '../tools/recorder.js'
import { type ClaudeHooks, bothHooks, toolHooks } from './hooks.js'
import { type ClaudeTool, toolOf } from './tool.js'

/** `query` of `@anthropic-ai/claude-agent-sdk`. */
export type QueryClaude = (given: never) => AsyncIterable<unknown>

/** The options of `fromClaude`. */
export interface ClaudeOptions extends AdapterOptions {
  /** The options of each `query`. Its hooks are kept, its `abortController` is replaced for each question. */
  readonly options?: object
  /** The tools that people may call, created by `tool` of the SDK; none by default. `options` determines the tools that Claude may call. */
  readonly tools?: readonly ClaudeTool[]
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/** The option `canUseTool` of a query. */
type CanUseTool = (toolName: string, ...more: never[]) => Promise<unknown>

/** The members of a message of a query that are used here. */
interface Message {
  readonly type?: unknown
  readonly subtype?: unknown
  readonly is_error?: unknown
  readonly result?: unknown
  readonly errors?: unknown
  readonly event?: unknown
  /** Set if a subagent speaks. */
  readonly parent_tool_use_id?: unknown
  readonly usage?: unknown
  readonly total_cost_usd?: unknown
}

/**
 * Returns the program of an agent that Claude's Agent SDK runs: `world.agent('Ada', fromClaude(query, { options }))`. Each text is
 * the prompt of a query and its answer is streamed back; each answer is recorded as a journey with the tools that Claude called.
 */
export function fromClaude(query: QueryClaude, options: ClaudeOptions = {}): AgentProgram {
  if (typeof query !== 'function') throw new OptionError("this is not a query: give that of '@anthropic-ai/claude-agent-sdk'")
  const { options: given = {}, tools = [], record = true, ...rest } = options
  return {
    ...rest, type: 'claude-agent-sdk', record,
    tools: Object.fromEntries(tools.map((made) => [made.name, toolOf(made)])),
    async *chat(message) {
      const { signal } = message
      const controller = new AbortController()
      const end = () => { controller.abort(signal.reason) }
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
      try {
        yield* said(query(queryOf(message, given, controller) as never), message)
      } finally {
        signal.removeEventListener('abort', end)
        // The query's process ends even if its messages are no longer read.
        controller.abort()
      }
    },
  }
}

function queryOf({ text, journey }: ChatMessage, given: object, abortController: AbortController): object {
  const { hooks = {}, canUseTool } = given as { readonly hooks?: ClaudeHooks; readonly canUseTool?: CanUseTool }
  const asks = canUseTool === undefined ? {} : { canUseTool: waitingFor(canUseTool, journey) }
  return { prompt: text, options: { ...given, ...asks, includePartialMessages: true, abortController, hooks: bothHooks(hooks, toolHooks(journey)) } }
}

/** Shows that the agent waits while the program decides about a tool. */
function waitingFor(canUseTool: CanUseTool, { run }: JourneyRecorder): CanUseTool {
  return async (toolName, ...more) => {
    const id = `permission ${randomText()}`
    run?.waits(id, toolName)
    try {
      return await canUseTool(toolName, ...more)
    } finally {
      run?.answered(id)
    }
  }
}

/** Yields the text of a query. */
async function* said(messages: AsyncIterable<unknown>, { signal, journey }: ChatMessage): AsyncGenerator<string> {
  let words = false
  for await (const message of messages as AsyncIterable<Message>) {
    noteUsage(journey, message)
    const part = partOf(message)
    if (part !== '') {
      words = true
      yield part
    }
    if (message.type !== 'result') continue
    signal.throwIfAborted()
    if (message.is_error === true || message.subtype !== 'success') throw new Error(failureOf(message))
    // The answer did not arrive in parts.
    if (!words) yield asText(message.result) ?? ''
  }
  signal.throwIfAborted()
}

/** Notes what each call of a model used, and at the end the total of the query, which includes its subagents. */
function noteUsage(journey: JourneyRecorder, { type, event, usage, total_cost_usd: cost }: Message): void {
  const given = asObject(event)
  if (type === 'stream_event' && given?.type === 'message_start') journey.uses({ ...tokensOf(asObject(given.message)?.usage), outputTokens: 0 })
  if (type === 'stream_event' && given?.type === 'message_delta') journey.uses(usageIn(given.usage, [], 'output_tokens'))
  const costUsd = countOf(cost)
  if (type === 'result') journey.used({ ...tokensOf(usage), ...(costUsd !== undefined && { costUsd }) })
}

/** Returns the tokens of a usage; those that a cache has were read as well. */
function tokensOf(usage: unknown): ModelUsage {
  return usageIn(usage, ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'], 'output_tokens')
}

/** Returns the text in a part of the stream. */
function partOf({ type, event, parent_tool_use_id: parent }: Message): string {
  if (type !== 'stream_event' || (parent ?? null) !== null) return ''
  const delta = asObject(asObject(event)?.delta)
  return delta?.type === 'text_delta' ? asText(delta.text) ?? '' : ''
}

/** Returns why a query failed; if an endpoint refused it, the result contains the message. */
function failureOf({ subtype, result, errors }: Message): string {
  const reasons = Array.isArray(errors) ? errors.map(String).join('; ') : ''
  return `Claude's query failed: ${[reasons, asText(result) ?? '', String(subtype)].find((text) => text !== '') ?? ''}`
}
