import { asNumber, asObject, asText, type InteractionsReply } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'

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
export function readLine(line: unknown): Line {
  const { role, seq, text, at } = asObject(line) ?? {}
  return {
    seq: asNumber(seq) ?? 0, role: role === 'user' || role === 'tool' ? role : 'assistant',
    text: clamp(asText(text) ?? '', 4000), at: Date.parse(asText(at) ?? '') || 0,
  }
}

/** Reads a listing's lines. */
export function readLines(reply: InteractionsReply): readonly Line[] {
  return reply.interactions.map(readLine)
}

/** Puts lines together in their order, each once. */
export function mergeLines(known: readonly Line[], more: readonly Line[]): readonly Line[] {
  const bySeq = new Map([...known, ...more].map((line) => [line.seq, line]))
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq).slice(-keptLines)
}
