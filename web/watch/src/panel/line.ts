import { clamp } from '../feed/entry.js'
import { numberOf, objectsOf, stringOf, type JsonObject } from '../world/json.js'

/** Something that an agent said or heard. */
export interface Line {
  readonly seq: number
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly at: number
}

/** So many lines of one agent are kept while its panel is open. */
const keptLines = 200

/** Reads a line, as a listing and an event have it. */
export function readLine(data: JsonObject): Line {
  const role = data.role === 'user' || data.role === 'tool' ? data.role : 'assistant'
  return { seq: numberOf(data.seq), role, text: clamp(stringOf(data.text), 4000), at: Date.parse(stringOf(data.at)) || 0 }
}

/** Reads a listing's lines. */
export function readLines(reply: JsonObject): readonly Line[] {
  return objectsOf(reply.interactions).map(readLine)
}

/** Puts lines together in their order, each once. */
export function mergeLines(known: readonly Line[], more: readonly Line[]): readonly Line[] {
  const bySeq = new Map([...known, ...more].map((line) => [line.seq, line]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq).slice(-keptLines)
}
