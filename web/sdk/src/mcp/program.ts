import { asObject } from '../json/read.js'
import { asError, reportTo } from '../protocol/callback.js'
import { ToolError } from '../protocol/errors.js'
import type { AgentProgram } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { type AgentTool, tool } from '../tools/tool.js'
import { type McpClient, type McpTool, callTool, onToolsChanged, textOf, toolsOf } from './client.js'

/** The options of `fromMcp`. */
export interface McpOptions extends Pick<AgentProgram, 'chat' | 'onError' | 'onLost'> {
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/**
 * The program of an agent whose tools are those of an MCP server: `world.agent('Weather', await fromMcp(client))`. The
 * client must be connected. What reading its tools fails with goes to the caller. They are read again when the server says
 * that they changed, unless the client has a handler of its own for that; what goes wrong then goes to `onError`.
 */
export async function fromMcp(client: McpClient, options: McpOptions = {}): Promise<AgentProgram> {
  const program: AgentProgram = {
    type: 'mcp', record: true, ...options, tools: await mcpTools(client),
    follow: (change) => {
      let reading: Promise<void> | undefined
      let changes = 0
      /** One read at a time; a change in between makes one more. */
      const read = async (): Promise<void> => {
        for (let done = 0; done !== changes;) {
          done = changes
          try {
            change({ ...program, tools: await mcpTools(client) })
          } catch (error) {
            reportTo(options.onError, asError(error))
          }
        }
        reading = undefined
      }
      return onToolsChanged(client, () => {
        changes += 1
        reading ??= read()
      })
    },
  }
  return program
}

/** The tools of an MCP server as tools of an agent, for a program of its own: `world.agent('Ada', { chat, tools: await mcpTools(client) })`. */
export async function mcpTools(client: McpClient): Promise<Record<string, AgentTool>> {
  return Object.fromEntries((await toolsOf(client)).map((given) => [given.name, toolOf(client, given)]))
}

/**
 * A tool that the server runs. What the server reports of its progress is streamed, a failure that it states goes to the
 * asker in its words, and a call that nobody waits for any more is canceled.
 */
function toolOf(client: McpClient, { name, title, description, inputSchema }: McpTool): AgentTool {
  return tool({
    description: description ?? title ?? '',
    input: inputSchema as Readonly<Record<string, unknown>>,
    run: async (args, { signal, stream }) => {
      const result = await callTool(client, name, args, {
        signal,
        onprogress: ({ message = '' }) => { if (message !== '') void stream(`${message}\n`) },
      })
      const message = textOf(result)
      if (result.isError === true) throw new ToolError(message === '' ? `the tool ${name} failed` : message)
      const structured = asObject(result.structuredContent)
      return structured === undefined ? message : { message, result: structured }
    },
  })
}
