import { asArray, asObject, asText, type Json, type JourneyStep as Step, type LastUpdate } from '@playctl/sdk'

/** One step of a journey; fields that are texts have text values. */
export interface JourneyStep {
  readonly type: Step['type']
  readonly content: string
  readonly toolName: string
  /** The arguments and the result of the tool; undefined if none are recorded. */
  readonly args: Json | undefined
  readonly result: Json | undefined
  /** Why the step failed; empty if that is not recorded. */
  readonly error: string
  /** When it started and completed; empty if that is not recorded. */
  readonly startedAt: string
  readonly completedAt: string
}

/** A journey as it was recorded. */
export interface JourneyRecord {
  readonly startedAt: string
  readonly completedAt: string
  readonly steps: readonly JourneyStep[]
}

/** Returns the last journey of an agent; undefined if there is none. */
export function journeyOf(update: LastUpdate | undefined): JourneyRecord | undefined {
  if (update === undefined) return undefined
  const { journey, path } = update
  const steps = readSteps(path.length > 0 ? path : journey.steps)
  return steps.length === 0 ? undefined : { startedAt: asText(journey.startedAt) ?? '', completedAt: asText(journey.completedAt) ?? '', steps }
}

/** Reads the steps of a journey. */
export function readSteps(steps: unknown): readonly JourneyStep[] {
  return (asArray(steps) ?? []).map(asObject).filter((step) => step !== undefined).map(({ type, content, toolName, args, result, error, startedAt, completedAt }) => ({
    type: type === 'origin' || type === 'destination' ? type : 'structure',
    content: asText(content) ?? '', toolName: asText(toolName) ?? '', args, result,
    error: asText(error) ?? '', startedAt: asText(startedAt) ?? '', completedAt: asText(completedAt) ?? '',
  }))
}

/** Returns how many milliseconds a journey or a step took; undefined if that is not recorded. */
export function tookOf({ startedAt, completedAt }: Pick<JourneyStep, 'startedAt' | 'completedAt'>): number | undefined {
  const took = Date.parse(completedAt) - Date.parse(startedAt)
  return Number.isNaN(took) ? undefined : Math.max(0, took)
}

/** Reports whether a result says that the tool failed, in the forms that are in use: many programs do not set the error of a step. */
export function failed(result: Json): boolean {
  if (typeof result === 'string') return /^\s*(?:\w*(?:Error|Exception)\b|error\b|Traceback \(most recent call last\))/u.test(result)
  const { isError, error } = asObject(result) ?? {}
  return isError === true || (error !== undefined && error !== null && error !== false && error !== '')
}
