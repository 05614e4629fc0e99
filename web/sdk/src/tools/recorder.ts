import { randomText } from '../http/wait.js'
import { asText } from '../json/read.js'
import { type Journey, type JourneyStep, type Json, limits } from '../protocol/contract.js'

/** Changes a step before it is recorded, where anybody in the world can read it; undefined leaves it out. */
export type Redact = (step: JourneyStep) => JourneyStep | undefined

/** How long the JSON of one step's arguments or result, or a text, may be in a journey, in UTF-16 units. */
const longestPart = 4000

/** What stands for arguments and results that are too long. */
const leftOut = '[too long to be recorded]'

/**
 * Collects what an agent does to answer one message, as a journey: from the message over the tools that it calls to the
 * answer. Calls beyond what a journey has room for are left out, the last ones first.
 */
export class JourneyRecorder {
  readonly #startedAt = new Date().toISOString()
  readonly #origin: JourneyStep
  readonly #calls = new Map<string, JourneyStep & { readonly type: 'structure' }>()

  constructor(origin: string, readonly redact: Redact = (step) => step) {
    this.#origin = { type: 'origin', content: textOf(origin), messageId: randomText() }
  }

  /** How many tools were called. */
  get calls(): number {
    return this.#calls.size
  }

  /** Notes that a tool is called; what it returns names the call. */
  call(toolName: string, args: unknown, toolCallId: string = randomText()): string {
    // Origin and destination are steps as well.
    if (this.#calls.size < limits.maxJourneySteps - 2) {
      this.#calls.set(toolCallId, { type: 'structure', toolName: toolName.trim() === '' ? 'tool' : toolName, toolCallId, args: jsonOf(args) })
    }
    return toolCallId
  }

  /** Notes what a call gave. */
  result(toolCallId: string, result: unknown): void {
    const call = this.#calls.get(toolCallId)
    if (call !== undefined) this.#calls.set(toolCallId, { ...call, result: jsonOf(result) })
  }

  /** Notes that a call failed; of the error only its message is kept. */
  failed(toolCallId: string, error: unknown): void {
    this.result(toolCallId, { error: error instanceof Error ? error.message : String(error) })
  }

  /** The journey to an answer. */
  to(destination: string): Journey {
    const end: JourneyStep = { type: 'destination', content: textOf(destination), messageId: randomText() }
    const steps = [this.#origin, ...this.#calls.values(), end].flatMap((step) => this.redact(step) ?? [])
    return { steps: fitting(steps), startedAt: this.#startedAt, completedAt: new Date().toISOString() }
  }
}

/** As many steps as a journey has room for, the last one always. */
function fitting(steps: readonly JourneyStep[]): JourneyStep[] {
  const last = steps.at(-1)
  if (last === undefined) return []
  const size = (step: JourneyStep) => new TextEncoder().encode(JSON.stringify(step)).length
  // The frame of a journey and its commas are small compared to a step's bound.
  let room = limits.maxJourneyBytes - longestPart - size(last)
  const kept = steps.slice(0, -1).filter((step) => (room -= size(step)) > 0)
  return [...kept, last]
}

function textOf(text: string): string {
  return text.length <= longestPart ? text : `${text.slice(0, longestPart - 1)}…`
}

/** A value of a framework as JSON: what has none, or is too long, is replaced. */
function jsonOf(value: unknown): Json {
  let json: string | undefined
  try {
    json = JSON.stringify(value)
  } catch {
    json = undefined // it holds itself, or a number without a JSON form
  }
  if (json === undefined) return null
  if (json.length <= longestPart) return JSON.parse(json) as Json
  const text = asText(value)
  return text === undefined ? leftOut : textOf(text)
}
