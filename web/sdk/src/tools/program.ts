import type { NodeCredentials } from '../credentials/resolve.js'
import { asObject, asText } from '../json/read.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import type { OptionNames } from '../protocol/options.js'
import type { AddAgentOptions, Agent } from '../world/agent.js'
import { ASSIST_TOOL_PREFIX, CHAT_TOOL, type FrameworkRegistration, frameworkRegistration } from '../world/framework.js'
import type { IntercomAnswer, IntercomCall, IntercomOptions } from '../world/intercom_types.js'
import { duringRun } from '../world/starter.js'
import { beginAnswer } from './activity.js'
import { Parts } from './parts.js'
import { JourneyRecorder, type Redact, recordTo } from './recorder.js'
import type { AgentTool, Answer, Asked } from './tool.js'

/** A text to an agent. */
export interface ChatMessage extends Asked {
  /** The text. */
  readonly text: string
}

/** The program of an agent: the second argument of `agent`. */
export interface AgentProgram extends Pick<AddAgentOptions, 'enableP2a' | 'realtimeInstructions' | 'parentId' | 'group' | 'leaseTtlSeconds' | 'permanent' | 'onLost'> {
  /** Answers a text, as a whole or in parts: with `stream`, or as an async generator of texts. An agent without it answers that it does not chat. */
  readonly chat?: (message: ChatMessage) => Answer | Promise<Answer> | AsyncIterable<string>
  /** The tools that people may call, by name; names without the prefix `assist_` get it. */
  readonly tools?: Readonly<Record<string, AgentTool>>
  /**
   * Records each answer as a journey: the question, the tool calls and the answer. Only the asker and the agent can see a
   * question, everybody in the world can see a journey: a function changes each step before, or omits it. Nothing is recorded by default.
   */
  readonly record?: boolean | Redact
  /**
   * Shows what the agent does in its row, which everybody in the world sees, unless it is false: `idle`, `working` with the tool's name
   * while it answers, then `done` or `failed` with the error's type. That ends when the program says it itself, with `agent.working` and the like.
   */
  readonly activity?: boolean
  /** The agent's framework, which the page shows; `typescript` by default. */
  readonly type?: string
  /** The agent's own credentials; by default they are derived from its name and the account. */
  readonly credentials?: NodeCredentials
  /**
   * Called once when the agent is on the map, with a function that replaces the agent's chat function and tools, and shows
   * them on the map. The function that it returns is called when the agent leaves.
   */
  readonly follow?: (change: (program: AgentProgram) => void, agent: Agent) => () => void
  /** Called for errors, such as an error in a tool; they are printed unless it is given. */
  readonly onError?: NonNullable<IntercomOptions['onError']>
}

/** The options of programs that adapters of frameworks return, besides their own. */
export type AdapterOptions = Pick<AgentProgram, 'activity' | 'group' | 'onError' | 'onLost' | 'parentId'>

/** The names of the options of `agent`. @internal */
export const programNames: OptionNames<AgentProgram> = {
  enableP2a: true, realtimeInstructions: true, parentId: true, group: true, leaseTtlSeconds: true, permanent: true, onLost: true, chat: true, tools: true, record: true, activity: true, type: true,
  credentials: true, follow: true, onError: true,
}

/** Returns the registration of an agent with a program. */
export function registrationOf({ type = 'typescript', tools = {} }: AgentProgram): FrameworkRegistration {
  return frameworkRegistration(type, [CHAT_TOOL, ...Object.entries(tools).map(([key, given]) => {
    const made = given as Partial<AgentTool>
    if (typeof made.parameters !== 'function') throw new OptionError(`the tool ${JSON.stringify(key)} is not a tool: make it with tool({ description, input, run })`)
    const name = assistName(key)
    return { name, description: made.description ?? '', parameters: made.parameters(name) }
  })])
}

/** Returns the name under which people call a tool. */
export function assistName(key: string): string {
  return key.startsWith(ASSIST_TOOL_PREFIX) ? key : ASSIST_TOOL_PREFIX + key
}

/** Carries out one command with a program. */
export async function carryOut(program: AgentProgram, call: IntercomCall): Promise<IntercomAnswer> {
  const { command } = call
  const parts = new Parts(async (message) => { await call.stream({ message }) })
  const { record = false, activity = true, onError } = program
  const run = activity ? beginAnswer(call.agent) : undefined
  const journey = new JourneyRecorder(command.text ?? '', record === true || record === false ? undefined : record, run)
  const asked: Asked = {
    from: command.fromPlayerId, agent: call.agent, requestId: command.requestId, signal: call.signal, journey,
    stream: (text) => parts.add(text),
  }
  const recordAnswer = async (destination: string) => recordTo(call.agent, journey.to(destination), onError && ((error) => onError(error, command)))
  try {
    const answering = async () => answered(program, call, asked, parts)
    const answer = answerOf(await (run === undefined ? answering() : duringRun(run, answering)))
    await parts.sent()
    run?.done()
    const whole = answer.message === undefined && answer.result === undefined ? { message: parts.whole } : answer
    if (record !== false) await recordAnswer(whole.message ?? JSON.stringify(whole.result))
    return whole
  } catch (error) {
    run?.failed(call.signal.aborted ? call.signal.reason : error)
    // The cause is only for the developer; the journey records the steps until the failure.
    if (record !== false && !call.signal.aborted) await recordAnswer(error instanceof ToolError ? error.message : 'failed')
    throw error
  }
}

async function answered(program: AgentProgram, { command }: IntercomCall, asked: Asked, parts: Parts): Promise<Answer> {
  switch (command.kind) {
    case 'chat': {
      if (program.chat === undefined) throw new ToolError('this agent does not chat')
      const said = await program.chat({ ...asked, text: command.text ?? '' })
      if (!isIterable(said)) return said
      for await (const text of said) await parts.add(text)
      return undefined
    }
    case 'assist': {
      const name = command.toolName ?? ''
      const [, used] = Object.entries(program.tools ?? {}).find(([key]) => assistName(key) === name) ?? []
      if (used === undefined) throw new ToolError(`this agent has no tool ${JSON.stringify(name)}`)
      return recorded(used, name, asObject(command.args) ?? {}, asked)
    }
    case 'realtime':
      throw new ToolError('this agent does not support realtime conversations')
  }
}

/** Runs a tool as a step of the journey. */
async function recorded(used: AgentTool, name: string, args: JsonObject, asked: Asked): Promise<Answer> {
  const step = asked.journey.call(name, args)
  try {
    const answer = await used.call(args, asked)
    asked.journey.result(step, answer)
    return answer
  } catch (error) {
    asked.journey.failed(step, error instanceof ToolError ? error : new Error('failed'))
    throw error
  }
}

function isIterable(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Returns the result of a function as an answer in the protocol's form. */
export function answerOf(given: Answer): IntercomAnswer {
  if (given === undefined || given === null) return {}
  if (typeof given === 'string') return { message: given }
  const object = asObject(given)
  if (object === undefined) return { message: JSON.stringify(given) }
  const whole = Object.keys(object).every((name) => name === 'message' || name === 'result')
  const message = asText(object.message)
  if (whole && (message !== undefined || object.message === undefined) && (asObject(object.result) !== undefined || object.result === undefined)) return object
  return { result: plainJson(object) }
}

/** Returns an object as plain JSON: members without a JSON form are omitted. */
function plainJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
