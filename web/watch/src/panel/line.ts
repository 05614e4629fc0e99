import { asNumber, asObject, asText, limits } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'

/** A line by an agent, or a question to it. */
export interface Line {
  readonly seq: number
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly at: number
}

/** Parses a line of a listing or an event. */
export function readLine(line: unknown): Line {
  const { role, seq, text, at } = asObject(line) ?? {}
  return {
    seq: asNumber(seq) ?? 0, role: role === 'user' || role === 'tool' ? role : 'assistant',
    text: clamp(asText(text) ?? '', limits.maxInteractionChars), at: Date.parse(asText(at) ?? '') || 0,
  }
}
