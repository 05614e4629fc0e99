import { OptionError } from '../protocol/errors.js'
import type { AdapterOptions, AgentProgram, ChatMessage } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { inputOf } from '../tools/schema.js'
import { type AgentTool, type Answer, tool } from '../tools/tool.js'
import { type AiRun, type RunPart, note, noteSteps } from './run.js'

/** The members of an agent, such as a `ToolLoopAgent`, that are used here. */
export interface AiAgent {
  readonly tools?: object
  stream(options: never): PromiseLike<object>
}

/** The members of a tool that are used here. */
export interface AiTool {
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly needsApproval?: unknown
  readonly execute?: (input: never, options: never) => unknown
}

/** The options of `fromAiSdk`. */
export interface AiOptions extends AdapterOptions {
  /** The tools that people may call; by default those of the agent that need no approval. Tools without `execute` are omitted. */
  readonly tools?: object
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/**
 * Returns the program of an agent of the AI SDK: `world.agent('Ada', fromAiSdk(agent))`. Instead of an agent it accepts a function that
 * returns the result of `streamText` or `generateText`. The agent receives texts and its answer is streamed back; people can call its
 * tools; each answer is recorded as a journey with the tools that it called.
 */
export function fromAiSdk(agent: AiAgent | ((message: ChatMessage) => unknown), options: AiOptions = {}): AgentProgram {
  const answers = runOf(agent)
  const { tools, record = true, ...rest } = options
  const own = typeof agent === 'function' ? {} : agent.tools ?? {}
  // Only the program can ask for an approval; a call by a person would bypass it.
  const callable = Object.entries((tools ?? own) as Readonly<Record<string, AiTool>>)
    .filter(([, { execute, needsApproval = false }]) => execute !== undefined && (tools !== undefined || needsApproval === false))
  return {
    ...rest, type: 'ai-sdk', record,
    tools: Object.fromEntries(callable.map(([name, given]) => [name, toolOf(given)])),
    async *chat(message) {
      const run = await answers(message) as Partial<AiRun> & { readonly fullStream?: AsyncIterable<unknown> }
      if (run.fullStream !== undefined) yield* said(run.fullStream as AsyncIterable<RunPart>, message)
      else if (run.steps !== undefined && run.text !== undefined) {
        await noteSteps(message.journey, run as AiRun)
        yield await run.text
      } else throw new OptionError('the function returns no run of the AI SDK: return what streamText or generateText returns')
    },
  }
}

function runOf(agent: AiAgent | ((message: ChatMessage) => unknown)): (message: ChatMessage) => unknown {
  if (typeof agent === 'function') return agent
  if (typeof (agent as Partial<AiAgent>).stream !== 'function') throw new OptionError('this is not an agent of the AI SDK: give a ToolLoopAgent, or a function that calls streamText')
  return ({ text, signal }) => agent.stream({ prompt: text, abortSignal: signal } as never)
}

/** Yields the text of a run, and records its tool calls. */
async function* said(parts: AsyncIterable<RunPart>, { journey, signal }: ChatMessage): AsyncGenerator<string> {
  for await (const part of parts) {
    note(journey, part)
    if (part.type === 'text-delta' && typeof part.text === 'string' && part.text !== '') yield part.text
    if (part.type === 'error') throw part.error
    if (part.type !== 'abort') continue
    signal.throwIfAborted()
    // The program itself aborted the run; the text so far is the answer.
    journey.run?.failed(new DOMException('the run was aborted', 'AbortError'))
  }
}

function toolOf({ description, inputSchema, execute }: AiTool): AgentTool {
  return tool({
    description: typeof description === 'string' ? description : '',
    input: inputOf(inputSchema),
    run: async (args, { requestId, signal }): Promise<Answer> => {
      const given = await execute?.(args as never, { toolCallId: requestId, messages: [], abortSignal: signal } as never)
      return lastOf(given)
    },
  })
}

/** Returns the output of a tool, the last one if it has several. */
async function lastOf(given: unknown): Promise<Answer> {
  if (typeof given !== 'object' || given === null || !(Symbol.asyncIterator in given)) return given as Answer
  let last: unknown
  for await (const output of given as AsyncIterable<unknown>) last = output
  return last as Answer
}
