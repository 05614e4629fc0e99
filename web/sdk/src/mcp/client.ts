import { asArray, asObject, asText, member } from '../json/read.js'
import type { Json, JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'

/** What of a tool of MCP is used. */
export interface McpTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: object
}

/** What of the result of a tool of MCP is used. */
export interface McpToolResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** What of a connected client of MCP is used: `Client` of `@modelcontextprotocol/sdk`, or of `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(params?: { readonly cursor?: string }, options?: never): Promise<{ readonly tools: readonly McpTool[]; readonly nextCursor?: string | undefined }>
  callTool(params: { readonly name: string; readonly arguments?: Record<string, unknown> }, ...more: never[]): Promise<object>
  getServerVersion(): { readonly name: string } | undefined
  onclose?: (() => void) | undefined
  /** Takes the notifications that have no handler of their own. */
  fallbackNotificationHandler?: ((notification: never) => Promise<void>) | undefined
}

/** What a call is given besides its arguments. */
interface CallControl {
  readonly signal: AbortSignal
  readonly onprogress: (progress: { readonly message?: string | undefined }) => void
}

/** How many lists of tools are read at most; a list that does not end is a server's mistake. */
const mostPages = 100

/** Calls a function when the server's list of tools changed, until the returned function is called. */
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
    // Where somebody put another one around it since, that stays.
    if (client.fallbackNotificationHandler === handler) client.fallbackNotificationHandler = before
  }
}

/** All tools of a server. */
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
  // Version 1 of the client takes a schema of the result before the options, and has a default for it.
  const more = client.callTool.length > 1 ? [control] : [undefined, control]
  return client.callTool({ name, arguments: { ...args } }, ...(more as never[]))
}

/** The text of a result; what has none is named by its kind. */
export function textOf({ content }: McpToolResult): string {
  return (asArray(content) ?? []).map(blockText).join('\n')
}

function blockText(block: Json): string {
  const given = asObject(block)
  const text = asText(given?.text) ?? asText(member(asObject(given?.resource), 'text'))
  return text ?? `[${[given?.type, given?.mimeType, given?.uri].filter((part) => typeof part === 'string').join(' ')}]`
}
