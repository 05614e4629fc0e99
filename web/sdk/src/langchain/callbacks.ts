import { asArray, asObject, asText, jsonOr, member } from '../json/read.js'
import { asError } from '../protocol/callback.js'
import { type ModelUsage, beginRun, sum, usageIn } from '../tools/activity.js'
import { JourneyRecorder, type Redact, recordTo } from '../tools/recorder.js'
import type { Agent } from '../world/agent.js'

/** The callbacks of LangChain that report runs; an object with them is a LangChain callback handler. */
export interface RunCallbacks {
  /** Makes the framework wait for the callbacks, so that a journey is recorded by the end of its run. */
  readonly awaitHandlers: true
  readonly handleChainStart: (chain: unknown, inputs: unknown, runId: string, ...more: unknown[]) => void
  readonly handleChainEnd: (outputs: unknown, runId: string) => Promise<void>
  readonly handleChainError: (error: unknown, runId: string, parentRunId?: string) => Promise<void>
  /** Notes the tokens of a model's answer. */
  readonly handleLLMEnd: (output: unknown, runId: string, parentRunId?: string) => void
  readonly handleToolStart: (tool: unknown, input: string, runId: string, parentRunId?: string, tags?: string[], metadata?: Record<string, unknown>, name?: string) => void
  readonly handleToolEnd: (output: unknown, runId: string) => void
  readonly handleToolError: (error: unknown, runId: string) => void
}

/** The options of `journeyCallbacks`. */
export interface JourneyOptions {
  /** Changes a step before everybody in the world sees it, or omits it. */
  readonly redact?: Redact
  /** Shows in the agent's row, which everybody sees, what the runs do, unless it is false. */
  readonly activity?: boolean
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}

/** How many runs are followed at the same time. Further ones are not recorded. */
const mostRuns = 1000

/** Returns callbacks that note the tool calls of runs in a recorder, what models used, and that a graph waits for a person. */
export function toolCallbacks(recorderOf: (runId: string, parentRunId: string | undefined) => JourneyRecorder | undefined): Omit<RunCallbacks, 'handleChainStart' | 'handleChainEnd'> {
  const running = new Map<string, JourneyRecorder>()
  return {
    awaitHandlers: true,
    handleToolStart(tool, input, runId, parentRunId, _tags, _metadata, name) {
      const recorder = recorderOf(runId, parentRunId)
      if (recorder === undefined || running.size >= mostRuns) return
      running.set(runId, recorder)
      recorder.call(name ?? asText(member(asObject(tool), 'name')) ?? 'tool', jsonOr(input, { input }), runId)
    },
    handleToolEnd(output, runId) {
      running.get(runId)?.result(runId, contentOf(output))
      running.delete(runId)
    },
    handleToolError(error, runId) {
      const recorder = running.get(runId)
      running.delete(runId)
      if (!isInterrupt(error)) recorder?.failed(runId, error)
      else if (recorder !== undefined) noteInterrupt(recorder, error, runId)
    },
    async handleChainError(error, runId, parentRunId) {
      const recorder = isInterrupt(error) ? recorderOf(runId, parentRunId) : undefined
      if (recorder !== undefined) noteInterrupt(recorder, error)
      return Promise.resolve()
    },
    handleLLMEnd(output, runId, parentRunId) {
      recorderOf(runId, parentRunId)?.uses(tokensOf(output))
    },
  }
}

/**
 * Records a journey of an agent from each run with these callbacks:
 * `agent.invoke(input, { callbacks: [journeyCallbacks(ada)] })`. The outermost run that has them begins and ends the journey.
 */
export function journeyCallbacks(agent: Agent, options: JourneyOptions = {}): RunCallbacks {
  const roots = new Map<string, JourneyRecorder>()
  /** The outermost run of each run that is in progress. */
  const rootOf = new Map<string, string>()
  const begin = (runId: string, parentRunId: string | undefined): string => {
    const root = parentRunId === undefined ? runId : rootOf.get(parentRunId) ?? runId
    if (rootOf.size < mostRuns) rootOf.set(runId, root)
    return root
  }
  const noted = toolCallbacks((runId, parentRunId) => roots.get(rootOf.get(runId) ?? begin(runId, parentRunId)))
  const end = async (runId: string, destination: string): Promise<void> => {
    // Entries of tools, and of runs whose end was never reported, are deleted with the outermost run.
    for (const [run, root] of rootOf) if (run === runId || root === runId) rootOf.delete(run)
    const recorder = roots.get(runId)
    if (roots.delete(runId) && recorder !== undefined) await recordTo(agent, recorder.to(destination), options.onError)
  }
  return {
    handleChainStart(_chain, inputs, runId, ...more) {
      // Versions of LangChain differ in the further arguments: the parent's id is the first of them, or an option in it.
      const parent = asText(more[0]) ?? asText(member(asObject(more[0]), 'parentRunId'))
      begin(runId, parent)
      if (rootOf.get(runId) === runId && roots.size < mostRuns) {
        roots.set(runId, new JourneyRecorder(lastText(inputs), options.redact, options.activity === false ? undefined : beginRun(agent)))
      }
    },
    ...noted,
    handleChainEnd: async (outputs, runId) => {
      roots.get(runId)?.run?.done()
      await end(runId, lastText(outputs))
    },
    handleChainError: async (error, runId, parentRunId) => {
      await noted.handleChainError(error, runId, parentRunId)
      if (isInterrupt(error)) roots.get(runId)?.run?.done()
      else roots.get(runId)?.run?.failed(error)
      await end(runId, `failed: ${asError(error).message}`)
    },
  }
}

/** Reports whether an error is the one with which LangGraph ends a run that waits for a person. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && (error.name === 'GraphInterrupt' || error.name === 'NodeInterrupt')
}

/** Notes that a graph waits for a person, about the tool that its middleware asks for, or in which it was interrupted. */
function noteInterrupt({ run, nameOf }: JourneyRecorder, error: unknown, call?: string): void {
  const [first] = asArray((error as { readonly interrupts?: unknown }).interrupts) ?? []
  const [action] = asArray(member(asObject(member(asObject(first), 'value')), 'actionRequests')) ?? []
  if (call !== undefined) run?.dropped(call)
  run?.waits('interrupt', asText(member(asObject(action), 'name')) ?? (call === undefined ? undefined : nameOf(call)))
}

/** Returns the tokens of a model's answer: those of its messages, or of a model without them. */
function tokensOf(output: unknown): ModelUsage {
  const { generations, llmOutput } = (output ?? {}) as { readonly generations?: unknown; readonly llmOutput?: { readonly tokenUsage?: unknown } }
  const messages = (asArray(generations) ?? []).flatMap((group) => (asArray(group) ?? []).map((generation) => (generation as { readonly message?: { readonly usage_metadata?: unknown } }).message?.usage_metadata))
  const used = sum(messages.map((usage) => usageIn(usage, ['input_tokens'], 'output_tokens')))
  return Object.keys(used).length > 0 ? used : usageIn(llmOutput?.tokenUsage, ['promptTokens'], 'completionTokens')
}

/** Returns the text of the last message in the input or output of a run. */
function lastText(state: unknown): string {
  const messages = asArray(member(asObject(state), 'messages'))
  return textOf(messages === undefined ? asObject(state)?.input ?? state : messages.at(-1))
}

/** Returns the text of a message of any form. */
export function textOf(message: unknown): string {
  if (typeof message === 'string') return message
  const content: unknown = Array.isArray(message) ? message[1] : (message as { readonly content?: unknown } | null | undefined)?.content
  if (typeof content === 'string') return content
  return (asArray(content) ?? []).map((block) => asText(member(asObject(block), 'text')) ?? '').join('')
}

/** Returns the output of a tool, without the message around it. */
export function contentOf(output: unknown): unknown {
  const content = (output as { readonly content?: unknown } | null | undefined)?.content
  return content === undefined ? output : content
}
