import type { Json, JsonObject } from '@playctl/sdk'

/** Returns the members of a result for people, without those for programs only. */
export function membersOf(result: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(result).filter(([name]) => name !== 'realtimeWebrtc')
}

/** Returns a member of a result as text: a text as it is, anything else as JSON. */
export const wordsOf = (value: Json): string => typeof value === 'string' ? value : JSON.stringify(value)
