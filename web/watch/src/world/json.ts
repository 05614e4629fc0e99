/** A JSON object whose fields have not been looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object, and no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field's text, or what stands in for one that is absent or no text. */
export function stringOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise
}

/** A field's number, or what stands in for one that is absent or no number. */
export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise
}

/** The texts in a field that should be a list of them. */
export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** The objects in a field that should be a list of them. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
