import { asArray, asObject, asText, asTexts, member } from '../json/read.js'
import { asError } from '../protocol/callback.js'
import type { IntercomCommand, Json } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import { isBlank } from '../protocol/text.js'
import { CHAT_TOOL } from '../world/framework.js'
import type { IntercomAnswer } from '../world/intercom_types.js'

/** Executes a tool and returns its result, a JSON object. The asker gets the message of an error that it throws. */
export type IntercomToolExecutor = (input: { toolName: string; args: Record<string, unknown> }) => Record<string, unknown> | Promise<Record<string, unknown>>

/** The options of `subscribeIntercomCommands`. */
export type SubscribeIntercomCommandsOptions = ({ readonly playerId: string } | { readonly playerIds: readonly string[] }) & {
  /** Executes the tools that people call. It also answers texts, as `chat_tool` with the argument `text`, unless `chatAgentsByPlayerId` has the agent. */
  readonly executeTool: IntercomToolExecutor
  /** LangChain agents by the ids of their players: their `invoke` answers texts. */
  readonly chatAgentsByPlayerId?: ReadonlyMap<string, unknown>
}

/** Returns the ids of the players in some options, each once. @internal */
export function playerIdsOf(options: SubscribeIntercomCommandsOptions): string[] {
  // Programs without types may pass any value.
  const ids = asTexts('playerIds' in options ? options.playerIds : [options.playerId])
  if (ids === undefined) throw new OptionError('subscribeIntercomCommands needs playerId, or playerIds as a list: the ids of what addAgent returned')
  return [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))]
}

/** Carries out a command. The message of every error goes to the asker. @internal */
export async function carryOut(command: IntercomCommand, options: SubscribeIntercomCommandsOptions): Promise<IntercomAnswer> {
  try {
    const given = JSON.parse(JSON.stringify(await run(command, options) ?? {})) as Json
    const result = asObject(given)
    if (result === undefined) return { message: asText(given) ?? JSON.stringify(given) }
    // Other clients of this protocol show the message of an answer.
    const message = asText(result.message)
    return message === undefined || isBlank(message) ? { result } : { result, message }
  } catch (error) {
    throw new ToolError(asError(error).message, { cause: error })
  }
}

/** Returns the result of a command. */
async function run(command: IntercomCommand, { executeTool, chatAgentsByPlayerId: agents }: SubscribeIntercomCommandsOptions): Promise<unknown> {
  const { toPlayerId, kind, text = '', toolName = '', args } = command
  switch (kind) {
    case 'chat':
      if (agents?.has(toPlayerId) !== true) return executeTool({ toolName: CHAT_TOOL, args: { text } })
      return intercomResultRecordFromLangChainInvokeOutput(await invokable(agents.get(toPlayerId)).invoke({ messages: [{ role: 'user', content: text }] }))
    case 'assist':
      return executeTool({ toolName, args: { ...args } })
    case 'realtime':
      throw new ToolError('this agent does not support realtime conversations')
  }
}

function invokable(agent: unknown): { invoke(input: unknown): unknown } {
  const given = agent as { invoke?: unknown } | null | undefined
  if (typeof given?.invoke !== 'function') throw new ToolError('this agent does not chat: chatAgentsByPlayerId has no agent with invoke for it')
  return given as { invoke(input: unknown): unknown }
}

/** Returns the result of a LangChain agent's `invoke` as a JSON object: its structured response, else the text of its last message. */
export function intercomResultRecordFromLangChainInvokeOutput(output: unknown): Record<string, unknown> {
  const given = asObject(output)
  if (given === undefined) return { mode: 'chat', message: String(output) }
  const { structuredResponse } = given
  if (structuredResponse !== undefined) return { ...asObject(structuredResponse) ?? { mode: 'chat', structuredResponse } }
  const message = textOf(member(asObject(asArray(given.messages)?.at(-1)), 'content'))
  return message.trim() === '' ? { mode: 'chat', output } : { mode: 'chat', message }
}

/** Returns the text of a message's content, which may be a text, a block or a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = asArray(content)
  if (blocks !== undefined) return blocks.map((block) => asText(block) ?? asText(member(asObject(block), 'text')) ?? '').join('')
  return content === undefined ? '' : asText(member(asObject(content), 'text')) ?? JSON.stringify(content)
}
