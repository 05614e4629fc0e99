import { randomText } from '../http/wait.js'
import { asText } from '../json/read.js'
import { asError, reportTo } from '../protocol/callback.js'
import { type Journey, type JourneyStep, type Json, limits } from '../protocol/contract.js'
import type { Agent } from '../world/agent.js'
import { type ModelUsage, type RunActivity, sum } from './activity.js'

/** Changes a step before it is recorded, because everybody in the world can read it; undefined omits it. */
export type Redact = (step: JourneyStep) => JourneyStep | undefined

/** The largest length of the JSON of a step's arguments or result, or of a text, in a journey, in UTF-16 units. */
const longestPart = 4000

/** Replaces arguments and results that are too long. */
const leftOut = '[too long to be recorded]'

/**
 * Collects the steps of an agent to answer one message, as a journey: the message, the tool calls and the answer. Calls
 * that exceed the limits of a journey are omitted, the last ones first.
 */
export class JourneyRecorder {
  readonly #startedAt = now()
  readonly #origin: JourneyStep
  readonly #calls = new Map<string, JourneyStep & { readonly type: 'structure' }>()
  #used: ModelUsage = {}
  /** Shows the run in the agent's row as well. @internal */
  readonly run: RunActivity | undefined

  constructor(origin: string, readonly redact: Redact = (step) => step, run?: RunActivity) {
    this.#origin = { type: 'origin', content: textOf(origin), messageId: randomText(), startedAt: this.#startedAt }
    this.run = run
  }

  /** The number of tool calls. */
  get calls(): number {
    return this.#calls.size
  }

  /** Returns the name of the tool of a call; undefined if it was not noted. @internal */
  readonly nameOf = (toolCallId: string): string | undefined => this.#calls.get(toolCallId)?.toolName

  /** Notes a tool call, and returns its id. The time is null if the call is noted afterwards and its time is not known. */
  call(toolName: string, args: unknown, toolCallId: string = randomText(), startedAt: string | null = now()): string {
    const name = toolName.trim() === '' ? 'tool' : toolName
    // Origin and destination are steps as well.
    if (this.#calls.size < limits.maxJourneySteps - 2) {
      this.#calls.set(toolCallId, { type: 'structure', toolName: name, toolCallId, args: jsonOf(args), ...(startedAt !== null && { startedAt }) })
    }
    if (startedAt !== null) this.run?.called(toolCallId, name)
    return toolCallId
  }

  /** Notes the result of a call; for the time see `call`. */
  result(toolCallId: string, result: unknown, completedAt: string | null = now()): void {
    this.#end(toolCallId, result, undefined, completedAt)
  }

  /** Notes that a call failed; only the error's message is recorded. For the time see `call`. */
  failed(toolCallId: string, error: unknown, completedAt: string | null = now()): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#end(toolCallId, { error: message }, message, completedAt)
  }

  /** Notes that a call has ended, if its framework reports the result later. @internal */
  ended(toolCallId: string, failed: boolean): void {
    const call = this.#calls.get(toolCallId)
    if (call === undefined) return
    this.#calls.set(toolCallId, { ...call, completedAt: now() })
    this.run?.ended(toolCallId, failed)
  }

  /** Notes what a call of a model used. */
  uses(usage: ModelUsage): void {
    this.used(sum([this.#used, usage]))
  }

  /** Notes what all calls of models used so far. */
  used(usage: ModelUsage): void {
    this.#used = { ...this.#used, ...usage }
    this.run?.used(this.#used)
  }

  #end(toolCallId: string, result: unknown, error: string | undefined, completedAt: string | null): void {
    const call = this.#calls.get(toolCallId)
    if (call !== undefined) {
      this.#calls.set(toolCallId, { ...call, result: jsonOf(result), ...(completedAt !== null && { completedAt: call.completedAt ?? completedAt }), ...(error !== undefined && { error: error.slice(0, longestPart) }) })
    }
    this.run?.ended(toolCallId, error !== undefined)
  }

  /** Returns the journey to an answer. */
  to(destination: string): Journey {
    const completedAt = now()
    const end: JourneyStep = {
      type: 'destination', content: textOf(destination), messageId: randomText(), completedAt, ...(Object.keys(this.#used).length > 0 && { usage: this.#used }),
    }
    const steps = [this.#origin, ...this.#calls.values(), end].flatMap((step) => this.redact(step) ?? [])
    return { steps: fitting(steps), startedAt: this.#startedAt, completedAt }
  }
}

/** Records a journey. A failure is only reported, because the run that it is about has succeeded or has its own error. */
export async function recordTo(agent: Agent, journey: Journey, onError: ((error: Error) => unknown) | undefined): Promise<void> {
  try {
    await agent.recordJourney(journey)
  } catch (error) {
    reportTo(onError, asError(error))
  }
}

/** Returns as many steps as fit into a journey, always including the last one. */
function fitting(steps: readonly JourneyStep[]): JourneyStep[] {
  const last = steps.at(-1)
  if (last === undefined) return []
  const size = (step: JourneyStep) => new TextEncoder().encode(JSON.stringify(step)).length
  // The rest of a journey's JSON and its commas are small compared to the limit of a step.
  let room = limits.maxJourneyBytes - longestPart - size(last)
  const kept = steps.slice(0, -1).filter((step) => (room -= size(step)) > 0)
  return [...kept, last]
}

function now(): string {
  return new Date().toISOString()
}

function textOf(text: string): string {
  return text.length <= longestPart ? text : `${text.slice(0, longestPart - 1)}…`
}

/** Returns a framework's value as JSON: a value without a JSON form, or one that is too long, is replaced. */
function jsonOf(value: unknown): Json {
  let json: string | undefined
  try {
    json = JSON.stringify(value)
  } catch {
    // It contains itself, or a number without a JSON form.
  }
  if (json === undefined) return null
  if (json.length <= longestPart) return JSON.parse(json) as Json
  const text = asText(value)
  return text === undefined ? leftOut : textOf(text)
}
