import { asNumber, asObject, asText } from '@playctl/sdk'
import { clamp } from '../feed/entry.js'

/** Something that an agent said or was asked. */
export interface Line {
  readonly seq: number
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly at: number
}

/** Reads a line, as a listing and an event have it. */
export function readLine(line: unknown): Line {
  const { role, seq, text, at } = asObject(line) ?? {}
  return {
    seq: asNumber(seq) ?? 0, role: role === 'user' || role === 'tool' ? role : 'assistant',
    text: clamp(asText(text) ?? '', 4000), at: Date.parse(asText(at) ?? '') || 0,
  }
}
