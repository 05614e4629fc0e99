import type { Json } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import { asObject } from '../json/read.js'
import type { AdapterOptions, AgentProgram } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { parametersOf, toolsIn } from '../tools/list.js'
import type { ToolInput } from '../tools/schema.js'
import { type AgentTool, type Answer, checkOf } from '../tools/tool.js'
import { CHAT_TOOL } from '../world/framework.js'
import { contentOf, textOf, toolCallbacks } from './callbacks.js'
import { described, toolsOf } from './registration.js'

/** The used members of an agent, a graph or another runnable of LangChain. */
export interface Runnable {
  stream(input: never, options?: never): Promise<AsyncIterable<unknown>>
}

/** The used members of a LangChain tool. */
export interface LangChainTool {
  readonly name: string
  readonly description?: string
  readonly schema?: unknown
  invoke(input: never, options?: never): Promise<unknown>
}

/** The options of `fromLangChain`. */
export interface LangChainOptions extends AdapterOptions {
  /** The tools that people may call; the agent's tools by default. */
  readonly tools?: readonly LangChainTool[]
  /** Returns the input of a run for a text; one user message by default. */
  readonly input?: (text: string) => unknown
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/**
 * Returns the program of a LangChain agent: `world.agent('Ada', fromLangChain(agent))`. Texts go to the agent and its
 * answer is streamed; people may call its tools; each answer is recorded as a journey with the tools that the agent called.
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
      // A node without a LangChain model streams nothing: its answer is in the state.
      if (!streamed) yield lastAnswer(state)
    },
  }
}

function oneMessage(text: string): unknown {
  return { messages: [{ role: 'user', content: text }] }
}

/** Returns the mode and the data of a part of a stream: a graph states the mode, a part of another runnable is a message. */
function modeOf(part: unknown): readonly [mode: string, given: unknown] {
  const [mode, given] = Array.isArray(part) ? part as readonly unknown[] : []
  return mode === 'messages' || mode === 'values' ? [mode, given] : ['messages', part]
}

/** Returns the text of the last message in a graph's state, if it is the agent's. */
function lastAnswer(state: unknown): string {
  const messages = (state as { readonly messages?: unknown } | null | undefined)?.messages
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return last === undefined ? '' : answerPart(last)
}

/** Returns the agent's text in a part of its stream: neither a tool's output nor the user's text. */
function answerPart(part: unknown): string {
  const message: unknown = Array.isArray(part) ? part[0] : part
  if (typeof message === 'string') return message
  const { getType, _getType: olderType } = message as { readonly getType?: () => string; readonly _getType?: () => string }
  const type = (getType ?? olderType)?.call(message)
  return type === undefined || type === 'ai' ? textOf(message) : ''
}

function toolOf(tool: LangChainTool): AgentTool {
  const [listed] = toolsIn([described(tool as unknown as Json)])
  return {
    description: tool.description ?? '',
    parameters: () => (listed === undefined ? {} : parametersOf(listed)),
    call: async (args, { signal }): Promise<Answer> => {
      let given
      try {
        given = contentOf(await tool.invoke(args as never, { signal } as never))
      } catch (error) {
        // LangChain checks the arguments itself, and does not state which are wrong.
        if (!(error instanceof Error && error.constructor.name === 'ToolInputParsingException')) throw error
        await checkOf(tool.schema as ToolInput)(args)
        throw new ToolError('the arguments do not match the tool\'s parameters', { cause: error })
      }
      return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : asObject(given) ?? JSON.stringify(given)
    },
  }
}
