import { asArray, asObject, member } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'
import { type AssistTool, type JsonObject, limits } from '../protocol/contract.js'

/** The tool that every agent must have. */
export const CHAT_TOOL = 'chat_tool'

/** What starts the names of the tools that people may call. */
export const ASSIST_TOOL_PREFIX = 'assist_'

/** Something that an agent can do. */
export interface Tool {
  /** `chat_tool`, or a name of its own; one that starts with `assist_` may be called by people. */
  readonly name: string
  /** What the tool does; people see that of assist tools. */
  readonly description?: string
  /** What an assist tool takes: a JSON Schema object. */
  readonly parameters?: JsonObject
}

/** What an agent of some framework can do, checked. */
export interface FrameworkRegistration {
  /** The framework's name, such as `langchain`. */
  readonly type: string
  readonly toolNames: readonly string[]
  readonly assistTools: readonly AssistTool[]
}

/**
 * Checks a list of tools for an agent of a framework: one of them must be
 * `chat_tool`, and no two may have the same name. What is wrong is an `OptionError`.
 */
export function frameworkRegistration(type: string, tools: readonly (Tool | string)[]): FrameworkRegistration {
  within("the framework's name", type, limits.maxTypeChars)
  if (asArray(tools) === undefined) throw new OptionError('the tools are no list')
  if (tools.length > limits.maxToolNames) throw new OptionError(`there are ${tools.length} tools, at most ${limits.maxToolNames} are allowed`)
  const toolNames: string[] = []
  const assistTools: AssistTool[] = []
  for (const given of tools) {
    const tool: Tool = typeof given === 'string' ? { name: given } : given
    within("a tool's name", member(asObject(tool), 'name'), limits.maxToolNameChars)
    if (toolNames.includes(tool.name)) throw new OptionError(`two tools have the name ${JSON.stringify(tool.name)}`)
    toolNames.push(tool.name)
    // Programs without types call this as well.
    if (tool.parameters !== undefined && asObject(tool.parameters) === undefined) {
      throw new OptionError(`the parameters of the tool ${JSON.stringify(tool.name)} are no JSON object`)
    }
    if (tool.name.startsWith(ASSIST_TOOL_PREFIX)) {
      const parameters = tool.parameters ?? { type: 'object', properties: {} }
      assistTools.push({ name: tool.name, description: tool.description ?? '', parameters })
    }
  }
  if (!toolNames.includes(CHAT_TOOL)) throw new OptionError(`the tools lack ${CHAT_TOOL}, which every agent must have`)
  return { type, toolNames, assistTools }
}

/** Checks that a text is there and not too long, in code points. Programs without types give anything. */
export function within(what: string, text: unknown, limit: number): void {
  if (typeof text !== 'string') throw new OptionError(`${what} is no text`)
  if (text.trim() === '') throw new OptionError(`${what} is empty`)
  const length = Array.from(text).length
  if (length > limit) throw new OptionError(`${what} has ${length} characters, at most ${limit} are allowed`)
}
