import { OptionError } from '../protocol/errors.js'
import { parametersOf, toolsIn } from '../tools/list.js'
import type { ToolInput } from '../tools/schema.js'
import { type AssistTool, limits } from '../protocol/contract.js'

/** The tool that every agent must have. */
export const CHAT_TOOL = 'chat_tool'

/** The prefix of the names of tools that people may call. */
export const ASSIST_TOOL_PREFIX = 'assist_'

/** A tool of an agent. */
export interface Tool {
  /** `chat_tool` or another name; people may call a tool whose name starts with `assist_`. */
  readonly name: string
  /** What the tool does; people see the description of assist tools. */
  readonly description?: string
  /** The parameters of an assist tool: a JSON Schema object, or a Standard Schema that provides one. */
  readonly parameters?: ToolInput
  /** The same, under the name that MCP tools use. */
  readonly inputSchema?: ToolInput
  /** The same, under the name that LangChain tools use. */
  readonly schema?: ToolInput
}

/** The checked tools of an agent of a framework. */
export interface FrameworkRegistration {
  /** The framework's name, such as `langchain`. */
  readonly type: string
  readonly toolNames: readonly string[]
  readonly assistTools: readonly AssistTool[]
}

/**
 * Checks a list of tools for an agent of a framework: one of them must be
 * `chat_tool`, and no two may have the same name. The lists of OpenAI (chat completions and responses), Anthropic, MCP, LangChain, Gemini,
 * Vercel and Bedrock are accepted in their own form: an array, an object that contains it, or an object with the tools by their names. An
 * array may also contain names, and such objects. Tools without parameters, or with null, have an empty form.
 * An invalid list is an `OptionError` that names the tool.
 */
export function frameworkRegistration(type: string, tools: readonly (Tool | string)[] | object): FrameworkRegistration {
  within("the framework's name", type, limits.maxTypeChars)
  const listed = toolsIn(tools)
  if (listed.length > limits.maxToolNames) throw new OptionError(`there are ${listed.length} tools, at most ${limits.maxToolNames} are allowed`)
  for (const [place, { name }] of listed.entries()) within(`the name of tool ${place + 1}`, name, limits.maxToolNameChars)
  const toolNames = listed.map(({ name }) => name)
  if (!toolNames.includes(CHAT_TOOL)) throw new OptionError(`the tools lack ${CHAT_TOOL}, which every agent must have: add the name to the list`)
  // A schema of a library that only the agent itself uses may have no JSON Schema.
  const described = listed.filter(({ name, key }) => name.startsWith(ASSIST_TOOL_PREFIX) || key === 'parameters')
    .map((tool) => ({ name: tool.name, description: tool.description, parameters: parametersOf(tool) }))
  return { type, toolNames, assistTools: described.filter(({ name }) => name.startsWith(ASSIST_TOOL_PREFIX)) }
}

/** Checks that a text is present and not too long, in code points. Programs without types may pass any value. */
export function within(what: string, text: unknown, limit: number): void {
  if (typeof text !== 'string') throw new OptionError(`${what} is not a text`)
  if (text.trim() === '') throw new OptionError(`${what} is empty`)
  const length = Array.from(text).length
  if (length > limit) throw new OptionError(`${what} has ${length} characters, at most ${limit} are allowed`)
}
