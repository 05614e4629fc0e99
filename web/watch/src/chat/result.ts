import type { Json, JsonObject } from '@playctl/sdk'

/** What a result has for people: what programs need to speak with one another is left out. */
export function membersOf(result: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(result).filter(([name]) => name !== 'realtimeWebrtc')
}

/** A member of a result in words: a text as it is, anything else as JSON. */
export const wordsOf = (value: Json): string => typeof value === 'string' ? value : JSON.stringify(value)
