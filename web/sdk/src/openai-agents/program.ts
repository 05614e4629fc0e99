import { asObject, asText, member } from '../json/read.js'
import type { Json, JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import { usageIn } from '../tools/activity.js'
import type { AdapterOptions, AgentProgram, ChatMessage } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { type AgentTool, type Answer, tool } from '../tools/tool.js'
import { answering } from './context.js'
import { type Reporting, isFailure, noteItem, onStart, onToolEnd } from './items.js'

/** The used members of an agent. */
export interface OpenAiAgent extends Reporting {
  readonly name: string
  readonly tools?: readonly object[]
}

/** The used members of a tool; only tools of the type `function` run in this program. */
export interface OpenAiTool {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly parameters?: object | null
  readonly needsApproval?: (context: never, args: never) => Promise<boolean>
  readonly invoke: (context: never, input: string, details?: never) => Promise<unknown>
}

/** `run` of `@openai/agents`, or the method of a `Runner`: `(...given) => runner.run(...given)`. */
export type RunAgent = (agent: never, input: never, options: never) => Promise<unknown>

/** The options of `fromOpenAiAgents`. */
export interface OpenAiAgentsOptions extends AdapterOptions {
  /** Runs the agent: `run` of `@openai/agents`, or the method of a `Runner`. */
  readonly run: RunAgent
  /** The tools that people may call; the agent's tools by default. Tools that OpenAI runs are omitted. */
  readonly tools?: readonly object[]
  /** The context of each run and of each tool call, as the option of `run`. */
  readonly context?: unknown
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/** The used members of an event of a run. */
interface RunEvent {
  readonly type?: unknown
  readonly data?: unknown
  readonly item?: unknown
  /** The agent that a hand-off made the present one. */
  readonly agent?: OpenAiAgent
}

/** The used members of a streamed run. */
interface StreamedRun extends AsyncIterable<RunEvent> {
  readonly completed: Promise<unknown>
  readonly interruptions?: readonly unknown[]
  readonly finalOutput?: unknown
  readonly state?: { readonly usage?: unknown }
}

/**
 * Returns the program of an agent of OpenAI's Agents SDK: `world.agent('Ada', fromOpenAiAgents(agent, { run }))`. Texts go to
 * the agent and its answer is streamed; people may call its tools; each answer is recorded as a journey with the tools
 * that the agent called.
 */
export function fromOpenAiAgents(agent: OpenAiAgent, options: OpenAiAgentsOptions): AgentProgram {
  const { run, tools = agent.tools ?? [], context, record = true, ...rest } = options
  if (typeof run !== 'function') throw new OptionError("fromOpenAiAgents needs run, which starts the agent: fromOpenAiAgents(agent, { run }) with the run of '@openai/agents'")
  const callable = (tools as readonly OpenAiTool[]).filter(({ type }) => type === 'function')
  return {
    ...rest, type: 'openai-agents', record,
    tools: Object.fromEntries(callable.map((given) => [given.name, toolOf(given, context)])),
    // Another agent may start this one: as a tool, or with a hand-off.
    follow: (_change, shown) => onStart(agent, () => { if (rest.activity !== false) shown.showStarter() }),
    async *chat(message) {
      const { text, signal } = message
      const started = answering.run(true, async () => run(agent as never, text as never, { stream: true, signal, context } as never))
      yield* said(await started as StreamedRun, message, agent)
    },
  }
}

/** Yields the text of a run, and records its tool calls. */
async function* said(run: StreamedRun, message: ChatMessage, agent: OpenAiAgent): AsyncGenerator<string> {
  const ended = (id: string, output: unknown) => { message.journey.ended(id, isFailure(output)) }
  const agents = new Map([[agent, onToolEnd(agent, ended)]])
  try {
    yield* wordsOf(run, message, (next) => { if (!agents.has(next)) agents.set(next, onToolEnd(next, ended)) })
  } finally {
    for (const end of agents.values()) end()
  }
}

async function* wordsOf(run: StreamedRun, { journey, signal }: ChatMessage, handedOff: (next: OpenAiAgent) => void): AsyncGenerator<string> {
  let words = false
  for await (const { type, data, item, agent } of run) {
    if (type === 'agent_updated_stream_event' && agent !== undefined) handedOff(agent)
    if (type === 'run_item_stream_event') noteItem(journey, item)
    // The usage of a run includes that of agents that are tools.
    if (type === 'raw_model_stream_event' && asObject(data)?.type === 'response_done') journey.used(usageIn(run.state?.usage, ['inputTokens'], 'outputTokens'))
    const delta = type === 'raw_model_stream_event' ? deltaOf(data) : ''
    if (delta !== '') {
      words = true
      yield delta
    }
  }
  await run.completed
  journey.used(usageIn(run.state?.usage, ['inputTokens'], 'outputTokens'))
  signal.throwIfAborted()
  if ((run.interruptions ?? []).length > 0) throw new ToolError('the agent waits for an approval, which only its program can give')
  // The output of a tool may be the answer, without text from the model.
  if (!words) yield asText(run.finalOutput) ?? JSON.stringify(run.finalOutput ?? '')
}

function deltaOf(data: unknown): string {
  const given = asObject(data)
  return given?.type === 'output_text_delta' ? asText(given.delta) ?? '' : ''
}

function toolOf(given: OpenAiTool, context: unknown): AgentTool {
  const { name, description = '', parameters, needsApproval } = given
  const { schema, filled } = withOptional(asObject(parameters) ?? {})
  return tool({
    description, input: schema,
    run: async (args, { signal }): Promise<Answer> => {
      const whole = { ...filled, ...args }
      // Only the program can ask for an approval; a call by a person would bypass it.
      if (await needsApproval?.({ context } as never, whole as never) === true) throw new ToolError(`the tool ${name} needs an approval, which only its program can give`)
      const output = await given.invoke({ context } as never, JSON.stringify(whole), { signal } as never)
      if (isFailure(output)) throw new ToolError(output)
      return output as Answer
    },
  })
}

/**
 * Returns a schema in which properties that may be null are optional, and their default values: OpenAI's strict schemas
 * have no optional properties, so people would have to fill in every one.
 */
function withOptional(schema: JsonObject): { schema: JsonObject; filled: JsonObject } {
  const properties = asObject(schema.properties) ?? {}
  const filled = Object.fromEntries(Object.entries(properties).filter(([, property]) => mayBeNull(property)).map(([name]) => [name, null]))
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => !(String(name) in filled)) : []
  return { schema: { ...schema, required }, filled }
}

function mayBeNull(property: Json): boolean {
  const type = member(asObject(property), 'type')
  const anyOf = member(asObject(property), 'anyOf')
  return Array.isArray(type) ? type.includes('null') : Array.isArray(anyOf) && anyOf.some(mayBeNull) || type === 'null'
}
