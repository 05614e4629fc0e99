import { isObject, numberOf, objectsOf, stringOf, type JsonObject } from './json.js'

/** One step of a journey, with its place on the map where it has one. */
export interface JourneyStep {
  readonly type: 'origin' | 'structure' | 'destination'
  readonly content: string
  readonly toolName: string
  /** What the tool was called with and gave; undefined where nothing is recorded. */
  readonly args: unknown
  readonly result: unknown
  readonly place: { readonly x: number, readonly y: number } | undefined
}

/** A journey as it was recorded. */
export interface JourneyRecord {
  readonly startedAt: string
  readonly completedAt: string
  readonly steps: readonly JourneyStep[]
}

/** Reads `{ journey, path }`, as a row's lastUpdate, an event and a listing have it. */
export function readJourney(update: unknown): JourneyRecord | undefined {
  if (!isObject(update)) {
    return undefined
  }
  const journey = isObject(update.journey) ? update.journey : {}
  const path = objectsOf(update.path)
  const steps = path.length > 0 ? path : objectsOf(journey.steps)
  if (steps.length === 0) {
    return undefined
  }
  return {
    startedAt: stringOf(journey.startedAt),
    completedAt: stringOf(journey.completedAt),
    steps: steps.map(readStep),
  }
}

function readStep(step: JsonObject): JourneyStep {
  const type = step.type === 'origin' || step.type === 'destination' ? step.type : 'structure'
  const onMap = typeof step.x === 'number' && typeof step.y === 'number'
  return {
    type,
    content: stringOf(step.content),
    toolName: stringOf(step.toolName),
    args: step.args,
    result: step.result,
    place: onMap ? { x: numberOf(step.x), y: numberOf(step.y) } : undefined,
  }
}
