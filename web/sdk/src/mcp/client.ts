import { asArray, asObject, asText, member } from '../json/read.js'
import type { Json, JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import type { IntercomAnswer } from '../world/intercom_types.js'

/** The used members of an MCP tool. */
export interface McpTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: object
}

/** The used members of the result of an MCP tool. */
export interface McpToolResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** The used members of a connected MCP client: `Client` of `@modelcontextprotocol/sdk`, or of `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(params?: { readonly cursor?: string }, options?: never): Promise<{ readonly tools: readonly McpTool[]; readonly nextCursor?: string | undefined }>
  callTool(params: { readonly name: string; readonly arguments?: Record<string, unknown> }, ...more: never[]): Promise<object>
  getServerVersion(): { readonly name: string } | undefined
  onclose?: (() => void) | undefined
  /** Handles notifications without their own handler. */
  fallbackNotificationHandler?: ((notification: never) => Promise<void>) | undefined
}

/** The options of a call. */
interface CallControl {
  readonly signal: AbortSignal
  readonly onprogress: (progress: { readonly message?: string | undefined }) => void
}

/** How many pages of the list of tools are read at most; an endless list is an error of the server. */
const mostPages = 100

/** Calls a function when the server's list of tools changes, until the returned function is called. */
export function onToolsChanged(client: McpClient, changed: () => void): () => void {
  const before = client.fallbackNotificationHandler
  let ended = false
  const handler = async (notification: { readonly method: string }): Promise<void> => {
    await before?.(notification as never)
    if (!ended && notification.method === 'notifications/tools/list_changed') changed()
  }
  client.fallbackNotificationHandler = handler
  return () => {
    ended = true
    // A handler that has been set since then stays.
    if (client.fallbackNotificationHandler === handler) client.fallbackNotificationHandler = before
  }
}

/** Returns all tools of a server. */
export async function toolsOf(client: McpClient): Promise<readonly McpTool[]> {
  const tools: McpTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const list = await client.listTools(cursor === undefined ? undefined : { cursor })
    tools.push(...list.tools)
    cursor = list.nextCursor
    if (cursor === undefined) return tools
  }
  throw new OptionError(`the MCP server's list of tools does not end after ${mostPages} pages`)
}

/** Calls a tool. */
export async function callTool(client: McpClient, name: string, args: JsonObject, control: CallControl): Promise<McpToolResult> {
  // Version 1 of the client has a parameter for the result's schema before the options, with a default.
  const more = client.callTool.length > 1 ? [control] : [undefined, control]
  return client.callTool({ name, arguments: { ...args } }, ...(more as never[]))
}

/** Returns the text of a result; content without text is replaced by its type. */
function textOf({ content }: McpToolResult): string {
  return (asArray(content) ?? []).map(blockText).join('\n')
}

/** Returns the result of a tool as an answer; the asker gets the message of a failure that the tool reports. */
export function answerOf(name: string, result: McpToolResult): string | IntercomAnswer {
  const message = textOf(result)
  if (result.isError === true) throw new ToolError(message === '' ? `the tool ${name} failed` : message)
  const structured = asObject(result.structuredContent)
  return structured === undefined ? message : { message, result: structured }
}

function blockText(block: Json): string {
  const given = asObject(block)
  const text = asText(given?.text) ?? asText(member(asObject(given?.resource), 'text'))
  return text ?? `[${[given?.type, given?.mimeType, given?.uri].filter((part) => typeof part === 'string').join(' ')}]`
}
