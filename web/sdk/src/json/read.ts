import type { Json, JsonObject } from '../protocol/contract.js'

/** An unchecked value from outside the program. */
export type Unknown = unknown

/** Returns the value as an object; undefined if it is none. */
export function asObject(value: Unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** Returns the value as a list; undefined if it is none. */
export function asArray(value: Unknown): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined
}

/** Returns the value as a text; undefined if it is none. */
export function asText(value: Unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the value as a number; undefined if it is none. */
export function asNumber(value: Unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the value as a boolean; undefined if it is none. */
export function asBoolean(value: Unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** Returns the value as a list of texts; undefined if it is none. */
export function asTexts(value: Unknown): readonly string[] | undefined {
  const items = asArray(value)
  return items?.every((item) => typeof item === 'string') === true ? items : undefined
}

/** Returns the value as a rev or a seq: a non-negative integer that a double represents exactly; undefined if it is none. */
export function asPosition(value: Unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** Returns the value of a JSON text of a framework, or what is given instead if it is none. */
export function jsonOr(text: Unknown, otherwise: Unknown): Unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return otherwise
  }
}

/** An object whose members that may be undefined are optional instead. */
type Defined<T> =
  & { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] }
  & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> }

/** Returns an object without its members that are undefined. */
export function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>
}

/** Returns an object's own member, undefined if it has none; members of its prototype are ignored. */
export function member(object: JsonObject | undefined, name: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined
}
