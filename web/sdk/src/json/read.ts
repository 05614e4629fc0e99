import type { Json, JsonObject } from '../protocol/contract.js'

/** A value that came from outside: nothing is known of it. */
export type Unknown = unknown

/** The value as an object; undefined if it is none. */
export function asObject(value: Unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** The value as a list; undefined if it is none. */
export function asArray(value: Unknown): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined
}

/** The value as a text; undefined if it is none. */
export function asText(value: Unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The value as a number; undefined if it is none. */
export function asNumber(value: Unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The value as a boolean; undefined if it is none. */
export function asBoolean(value: Unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** The value as a list of texts; undefined if it is none. */
export function asTexts(value: Unknown): readonly string[] | undefined {
  const items = asArray(value)
  return items?.every((item) => typeof item === 'string') === true ? items : undefined
}

/** The value as a rev or a seq: a whole number from 0 that a double holds exactly; undefined if it is none. */
export function asPosition(value: Unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** An own member of an object, undefined if it has none: not what a prototype has. */
export function member(object: JsonObject | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
}
