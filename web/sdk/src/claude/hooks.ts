import { asArray, asObject, asText, jsonOr } from '../json/read.js'
import { beginRun } from '../tools/activity.js'
import { JourneyRecorder, type Redact, recordTo } from '../tools/recorder.js'
import type { Agent } from '../world/agent.js'

/** One hook of the SDK with its matcher, in the form of its option `hooks`. */
export interface HookMatcher {
  readonly matcher?: string
  readonly hooks: ((input: never, toolUseId: string | undefined, options: never) => Promise<object>)[]
}

/** Hooks by their events. */
export type ClaudeHooks = Record<string, HookMatcher[]>

/** The options of `journeyHooks`. */
export interface HookOptions {
  /** Changes a step before everybody in the world sees it, or omits it. */
  readonly redact?: Redact
  /** Shows in the agent's row, which everybody sees, what the sessions do, unless it is false. */
  readonly activity?: boolean
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}

/** The members of a hook's input that are used here. */
interface HookInput {
  readonly session_id: string
  readonly hook_event_name: string
  /** The subagent that calls the tool. */
  readonly agent_id?: string
  readonly tool_name?: string
  readonly tool_input?: unknown
  readonly tool_response?: unknown
  readonly tool_use_id?: string
  readonly prompt?: string
  readonly error?: unknown
  readonly last_assistant_message?: string
  readonly notification_type?: string
}

/** The maximum number of sessions followed at the same time. Further sessions are not recorded. */
const mostSessions = 1000

const toolEvents = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure']

/** The hooks that say that a person has to answer, and those that say that the person did. */
const waitEvents = ['PermissionRequest', 'PermissionDenied', 'Notification', 'Elicitation', 'ElicitationResult']

/** The notifications that say that a person has to answer. */
const questions: readonly unknown[] = ['permission_prompt', 'elicitation_dialog']

/** Returns the hooks that record the tool calls of one run. */
export function toolHooks(journey: JourneyRecorder): ClaudeHooks {
  return hooksFor(toolEvents, (input) => { noteTool(journey, input) })
}

/** Returns all hooks of two sets, first those of the first set. */
export function bothHooks(some: ClaudeHooks, more: ClaudeHooks): ClaudeHooks {
  const events = new Set([...Object.keys(some), ...Object.keys(more)])
  return Object.fromEntries([...events].map((event) => [event, [...some[event] ?? [], ...more[event] ?? []]]))
}

/**
 * Records a journey of an agent for each prompt of the sessions that have the hooks:
 * `query({ prompt, options: { hooks: journeyHooks(ada) } })`. The journey consists of the prompt, the tool calls and the answer.
 */
export function journeyHooks(agent: Agent, options: HookOptions = {}): ClaudeHooks {
  const sessions = new Map<string, JourneyRecorder>()
  const end = async (sessionId: string, destination: string, failure?: string): Promise<void> => {
    const journey = sessions.get(sessionId)
    journey?.run?.answered()
    if (failure === undefined) journey?.run?.done()
    else journey?.run?.failed(named(failure))
    if (sessions.delete(sessionId) && journey !== undefined) await recordTo(agent, journey.to(destination), options.onError)
  }
  return hooksFor(['UserPromptSubmit', ...toolEvents, ...waitEvents, 'Stop', 'StopFailure', 'SessionEnd'], async (input) => {
    const { session_id: id, hook_event_name: event, prompt = '', last_assistant_message: answer = '' } = input
    if (event === 'UserPromptSubmit' && sessions.size < mostSessions) {
      // A prompt that is submitted before the answer to the last one takes its place.
      sessions.get(id)?.run?.done()
      sessions.set(id, new JourneyRecorder(prompt, options.redact, options.activity === false ? undefined : beginRun(agent)))
    }
    const journey = sessions.get(id)
    if (journey !== undefined) {
      noteWait(journey, input)
      noteTool(journey, input)
    }
    if (event === 'Stop') await end(id, answer)
    // A session that ends before its answer was interrupted.
    if (event === 'StopFailure' || event === 'SessionEnd') await end(id, 'failed', event === 'StopFailure' ? 'Error' : 'AbortError')
  })
}

function hooksFor(events: readonly string[], note: (input: HookInput) => void | Promise<void>): ClaudeHooks {
  const hook = async (input: never): Promise<object> => {
    await note(input)
    return {}
  }
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]))
}

/** Notes that a person has to answer, or did. A request for a permission has no id: it ends with the next event of its tool. */
function noteWait({ run }: JourneyRecorder, { hook_event_name: event, tool_name: name = '', notification_type: type }: HookInput): void {
  if (event === 'PermissionRequest') run?.waits(`permission ${name}`, name)
  if (event === 'PermissionDenied' || event === 'PostToolUse' || event === 'PostToolUseFailure') run?.answered(`permission ${name}`)
  if (event === 'Elicitation' || (event === 'Notification' && questions.includes(type))) run?.waits('question')
  else if (event !== 'Notification') run?.answered('question')
}

/** Returns an error of a type, for a failure that the SDK does not describe. */
function named(name: string): Error {
  return Object.assign(new Error(name), { name })
}

/** Records a tool call or its result. */
function noteTool(journey: JourneyRecorder, input: HookInput): void {
  const { hook_event_name: event, tool_name: name = 'tool', tool_use_id: id = '' } = input
  if (event === 'PreToolUse') journey.call(name, input.tool_input, id)
  if (event === 'PostToolUse') journey.result(id, responseOf(input.tool_response))
  if (event === 'PostToolUseFailure') journey.failed(id, input.error)
}

/** Returns the result of a tool: MCP tools return a text or blocks of text, which may be JSON. */
function responseOf(response: unknown): unknown {
  const texts = asArray(response)?.map((block) => asText(asObject(block)?.text)) ?? [asText(response)]
  if (texts.includes(undefined)) return response
  const text = texts.join('\n')
  const value = jsonOr(text, text)
  return typeof value === 'object' ? value : text
}
