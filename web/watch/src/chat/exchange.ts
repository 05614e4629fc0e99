import type { Fault } from '../access/faults.js'
import { isObject, stringOf, type JsonObject } from '../world/json.js'
import { clamp } from '../feed/entry.js'

/** Where a question stands. */
export type ExchangeStatus =
  | 'sending' | 'not-sent' | 'started' | 'forwarded' | 'stream' | 'completed' | 'failed'

/** What was asked of an agent, and what it answered so far. */
export interface Exchange {
  readonly requestId: string
  /** The agent's id. */
  readonly agentId: string
  readonly toolName: string
  /** What was asked, or the tool's arguments. */
  readonly question: string
  readonly status: ExchangeStatus
  readonly answer: string
  readonly error: string
  /** What the host says of the error beside it; mostly empty. */
  readonly detail: string
  readonly at: number
}

/** So many exchanges are kept, and so many characters of each answer. */
export const keptExchanges = 200
const longestAnswer = 20_000

/**
 * A new id for a question: 128 random bits. Not by crypto.randomUUID, which
 * browsers keep from pages that come over plain HTTP from another machine.
 */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Adds a question that is being sent; the same one again takes its own place. */
export function ask(exchanges: readonly Exchange[], question: Exchange): readonly Exchange[] {
  return [...exchanges.filter((known) => known.requestId !== question.requestId), question].slice(-keptExchanges)
}

/** Says that a question could not be sent, and why. */
export function notSent(exchanges: readonly Exchange[], requestId: string, { message, detail }: Fault): readonly Exchange[] {
  return exchanges.map((known) => known.requestId === requestId && known.status === 'sending' ? { ...known, status: 'not-sent', error: message, detail } : known)
}

/** Takes in what the host says about a question; one that is not known was asked before the page was opened. */
export function hear(exchanges: readonly Exchange[], data: JsonObject, at: number): readonly Exchange[] {
  const requestId = stringOf(data.requestId)
  const known = exchanges.find((exchange) => exchange.requestId === requestId)
  const before: Exchange = known ?? {
    requestId, agentId: stringOf(data.fromPlayerId), toolName: stringOf(data.toolName), question: '',
    status: 'sending', answer: '', error: '', detail: '', at,
  }
  const after = answered(before, data)
  return known === undefined
    ? [...exchanges, after].slice(-keptExchanges)
    : exchanges.map((exchange) => exchange === known ? after : exchange)
}

function answered(before: Exchange, data: JsonObject): Exchange {
  const said = saidIn(data)
  switch (data.status) {
    case 'started': return before.status === 'sending' || before.status === 'not-sent' ? { ...before, status: 'started', error: '', detail: '' } : before
    case 'forwarded': return { ...before, status: 'forwarded', error: '', detail: '', question: before.question === '' ? questionIn(data.command) : before.question }
    case 'stream': return { ...before, status: 'stream', answer: clamp(before.answer + said, longestAnswer) }
    // The last answer is the whole one, unless it is empty.
    case 'completed': return { ...before, status: 'completed', answer: said === '' ? before.answer : clamp(said, longestAnswer) }
    // Whether the agent failed or was silent for too long, only the words say.
    case 'failed': return { ...before, status: 'failed', error: clamp(stringOf(data.error), longestAnswer) }
    default: return before
  }
}

function questionIn(command: unknown): string {
  if (!isObject(command)) {
    return ''
  }
  return clamp(stringOf(command.text) || (command.args === undefined ? '' : JSON.stringify(command.args)), longestAnswer)
}

/** What an answer says in words: its message, else its result. */
function saidIn(data: JsonObject): string {
  const message = stringOf(data.message)
  if (message !== '' || !isObject(data.result)) {
    return message
  }
  const result = stringOf(data.result.message)
  return result !== '' ? result : JSON.stringify(data.result, null, 2)
}
