import { asError, reportTo } from '../protocol/callback.js'
import type { AdapterOptions, AgentProgram } from '../tools/program.js'
import type { Redact } from '../tools/recorder.js'
import { type AgentTool, tool } from '../tools/tool.js'
import { type McpClient, type McpTool, answerOf, callTool, onToolsChanged, toolsOf } from './client.js'

/** The options of `fromMcp`. */
export interface McpOptions extends AdapterOptions, Pick<AgentProgram, 'chat'> {
  /** Records each answer as a journey, unless it is false. A function changes each step before everybody in the world sees it, or omits it. */
  readonly record?: boolean | Redact
}

/**
 * Returns the program of an agent with the tools of an MCP server: `world.agent('Weather', await fromMcp(client))`. The
 * client must be connected. It rejects if the tools cannot be read. They are read again when the server reports a
 * change, unless the client has its own handler for that; errors of these reads go to `onError`.
 */
export async function fromMcp(client: McpClient, options: McpOptions = {}): Promise<AgentProgram> {
  const program: AgentProgram = {
    type: 'mcp', record: true, ...options, tools: await mcpTools(client),
    follow: (change) => {
      let reading: Promise<void> | undefined
      let changes = 0
      /** Reads the tools, one read at a time; a change during a read leads to another read. */
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

/** Returns the tools of an MCP server as tools of an agent, for another program: `world.agent('Ada', { chat, tools: await mcpTools(client) })`. */
export async function mcpTools(client: McpClient): Promise<Record<string, AgentTool>> {
  return Object.fromEntries((await toolsOf(client)).map((given) => [given.name, toolOf(client, given)]))
}

/**
 * Returns a tool that the server runs. The server's progress messages are streamed, its error message for a failure goes
 * to the asker, and a call that no longer needs an answer is canceled.
 */
function toolOf(client: McpClient, { name, title, description, inputSchema }: McpTool): AgentTool {
  return tool({
    description: description ?? title ?? '',
    input: inputSchema as Readonly<Record<string, unknown>>,
    run: async (args, { signal, stream }) => {
      const onprogress = ({ message = '' }) => { if (message !== '') void stream(`${message}\n`) }
      return answerOf(name, await callTool(client, name, args, { signal, onprogress }))
    },
  })
}
