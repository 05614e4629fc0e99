import { asArray, asObject, member } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'
import { type ToolInput, inOrder, jsonSchemaOf } from '../tools/schema.js'
import { type AssistTool, type JsonObject, limits } from '../protocol/contract.js'

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

/** A tool in the form of OpenAI's chat completions. */
export interface FunctionTool {
  readonly type: 'function'
  readonly function: Tool
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
 * `chat_tool`, and no two may have the same name. Tools of MCP, LangChain and OpenAI are accepted in their own form.
 * An invalid list is an `OptionError`.
 */
export function frameworkRegistration(type: string, tools: readonly (Tool | FunctionTool | string)[]): FrameworkRegistration {
  within("the framework's name", type, limits.maxTypeChars)
  if (asArray(tools) === undefined) {
    throw new OptionError('the tools are not a list: create one from a record of tools with Object.entries(tools).map(([name, tool]) => ({ ...tool, name }))')
  }
  if (tools.length > limits.maxToolNames) throw new OptionError(`there are ${tools.length} tools, at most ${limits.maxToolNames} are allowed`)
  const toolNames: string[] = []
  const assistTools: AssistTool[] = []
  for (const [place, given] of tools.entries()) {
    const tool = toolOf(given, place)
    if (toolNames.includes(tool.name)) throw new OptionError(`two tools have the name ${JSON.stringify(tool.name)}`)
    toolNames.push(tool.name)
    const assists = tool.name.startsWith(ASSIST_TOOL_PREFIX)
    const parameters = assists || tool.parameters !== undefined ? parametersOf(tool) : {}
    if (assists) assistTools.push({ name: tool.name, description: tool.description ?? '', parameters })
  }
  if (!toolNames.includes(CHAT_TOOL)) throw new OptionError(`the tools lack ${CHAT_TOOL}, which every agent must have`)
  return { type, toolNames, assistTools }
}

/** Checks and returns one tool of the list. Programs without types may pass any value. */
function toolOf(given: Tool | FunctionTool | string, place: number): Tool {
  const inner: unknown = typeof given === 'string' ? { name: given } : member(asObject(given), 'type') === 'function' && 'function' in given ? given.function : given
  const name = (inner as Partial<Tool> | null | undefined)?.name
  if (typeof name !== 'string') throw new OptionError(`tool ${place + 1} of the list has no name: give { name, description, parameters }, or the name alone`)
  within(`the name of tool ${place + 1}`, name, limits.maxToolNameChars)
  return inner as Tool
}

function parametersOf({ name, parameters, inputSchema, schema }: Tool): JsonObject {
  const given = parameters ?? inputSchema ?? schema
  return given === undefined ? { type: 'object', properties: {} } : inOrder(jsonSchemaOf(name, given))
}

/** Checks that a text is present and not too long, in code points. Programs without types may pass any value. */
export function within(what: string, text: unknown, limit: number): void {
  if (typeof text !== 'string') throw new OptionError(`${what} is not a text`)
  if (text.trim() === '') throw new OptionError(`${what} is empty`)
  const length = Array.from(text).length
  if (length > limit) throw new OptionError(`${what} has ${length} characters, at most ${limit} are allowed`)
}
