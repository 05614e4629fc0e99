import type { JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import { asObject } from '../json/read.js'
import type { AgentProgram } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { type ToolInput, inOrder, jsonSchemaOf } from '../tools/schema.js'
import { type AgentTool, type Answer, checkOf } from '../tools/tool.js'
import { CHAT_TOOL } from '../world/framework.js'
import { contentOf, textOf, toolCallbacks } from './callbacks.js'
import { described, toolsOf } from './registration.js'

/** What of an agent, a graph or another runnable of LangChain is used. */
export interface Runnable {
  stream(input: never, options?: never): Promise<AsyncIterable<unknown>>
}

/** What of a tool of LangChain is used. */
export interface LangChainTool {
  readonly name: string
  readonly description?: string
  readonly schema?: unknown
  invoke(input: never, options?: never): Promise<unknown>
}

/** The options of `fromLangChain`. */
export interface LangChainOptions extends Pick<AgentProgram, 'onError' | 'onLost'> {
  /** The tools that people may call; those of the agent unless they are given. */
  readonly tools?: readonly LangChainTool[]
  /** What a run is given for a text; one message of a user unless it is given. */
  readonly input?: (text: string) => unknown
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/**
 * The program of an agent that LangChain runs: `world.agent('Ada', fromLangChain(agent))`. Texts go to the agent and its
 * answer streams back; its tools are what people may call; each answer is recorded as a journey with the tools that it called.
 */
export function fromLangChain(agent: Runnable, options: LangChainOptions = {}): AgentProgram {
  const { tools = (toolsOf(agent) ?? []) as unknown as readonly LangChainTool[], input = oneMessage, record = true, ...rest } = options
  if (typeof (agent as Partial<Runnable>).stream !== 'function') throw new OptionError('this is not an agent of LangChain: give what createAgent or compile made')
  return {
    ...rest, type: 'langchain', record,
    tools: Object.fromEntries(tools.filter(({ name }) => name !== CHAT_TOOL).map((tool) => [tool.name, toolOf(tool)])),
    async *chat({ text, signal, journey }) {
      const parts = await agent.stream(input(text) as never, { streamMode: ['messages', 'values'], signal, callbacks: [toolCallbacks(() => journey)] } as never)
      let streamed = false
      let state: unknown
      for await (const part of parts) {
        const [mode, given] = modeOf(part)
        if (mode === 'values') {
          state = given
          continue
        }
        const said = answerPart(given)
        if (said === '') continue
        streamed = true
        yield said
      }
      // A node that has no model of LangChain's streams nothing: its answer is in the state.
      if (!streamed) yield lastAnswer(state)
    },
  }
}

function oneMessage(text: string): unknown {
  return { messages: [{ role: 'user', content: text }] }
}

/** A part of the stream of a graph, which says of which kind it is; that of another runnable is a message. */
function modeOf(part: unknown): readonly [mode: string, given: unknown] {
  const [mode, given] = Array.isArray(part) ? part as readonly unknown[] : []
  return mode === 'messages' || mode === 'values' ? [mode, given] : ['messages', part]
}

/** What the last message of a graph's state says, if the agent said it. */
function lastAnswer(state: unknown): string {
  const messages = (state as { readonly messages?: unknown } | null | undefined)?.messages
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return last === undefined ? '' : answerPart(last)
}

/** What the agent says in a part of its stream: not what a tool gave, nor what the user said. */
function answerPart(part: unknown): string {
  const message: unknown = Array.isArray(part) ? part[0] : part
  if (typeof message === 'string') return message
  const { getType, _getType: olderType } = message as { readonly getType?: () => string; readonly _getType?: () => string }
  const type = (getType ?? olderType)?.call(message)
  return type === undefined || type === 'ai' ? textOf(message) : ''
}

function toolOf(tool: LangChainTool): AgentTool {
  const { parameters, schema } = described(tool as unknown as JsonObject)
  return {
    description: tool.description ?? '',
    parameters: (name) => inOrder(jsonSchemaOf(name, parameters ?? schema ?? { type: 'object', properties: {} })),
    call: async (args, { signal }): Promise<Answer> => {
      let given
      try {
        given = contentOf(await tool.invoke(args as never, { signal } as never))
      } catch (error) {
        // LangChain checks the arguments itself, and does not say which are wrong.
        if (!(error instanceof Error && error.constructor.name === 'ToolInputParsingException')) throw error
        await checkOf(tool.schema as ToolInput)(args)
        throw new ToolError('the arguments are not what the tool takes', { cause: error })
      }
      return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : asObject(given) ?? JSON.stringify(given)
    },
  }
}
