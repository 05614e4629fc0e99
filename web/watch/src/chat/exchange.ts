import { exchangeIn, nextExchange, type Exchange as Answer, type JsonObject } from '@playctl/sdk'
import type { Fault } from '../access/faults.js'
import { clamp } from '../feed/entry.js'

/** A question to an agent, and its answer so far. */
export interface Exchange extends Answer {
  /** The host's detail of the error; mostly empty. */
  readonly detail: string
  readonly at: number
}

/** The number of stored exchanges, and of characters of each answer. */
export const keptExchanges = 200
const longestAnswer = 20_000

/** Adds a question that is being sent; the same question again replaces itself. */
export function ask(exchanges: readonly Exchange[], question: Answer, at: number): readonly Exchange[] {
  return [...exchanges.filter((known) => known.requestId !== question.requestId), { ...question, detail: '', at }].slice(-keptExchanges)
}

/** Marks a question as not sent, with the reason. */
export function notSent(exchanges: readonly Exchange[], requestId: string, { message, detail }: Fault): readonly Exchange[] {
  return exchanges.map((known) => known.requestId === requestId && known.status === 'sending' ? { ...known, status: 'not-sent', error: message, detail } : known)
}

/** Applies the host's event about a question; an unknown question was asked before the page was opened. */
export function answered(exchanges: readonly Exchange[], data: JsonObject, at: number): readonly Exchange[] {
  const known = exchanges.find((exchange) => exchange.requestId === data.requestId)
  const after = bounded(nextExchange(known ?? { ...exchangeIn(data), detail: '', at }, data))
  return known === undefined
    ? [...exchanges, after].slice(-keptExchanges)
    : exchanges.map((exchange) => exchange === known ? after : exchange)
}

const waiting: ReadonlySet<Exchange['status']> = new Set(['sending', 'started', 'forwarded', 'stream'])

/** Ends questions without an answer, with the reason, if no answer can be expected. */
export function givenUp(exchanges: readonly Exchange[], why: string): readonly Exchange[] {
  return exchanges.map((known) => waiting.has(known.status) ? { ...known, status: 'failed', error: why, detail: '' } : known)
}

function bounded(exchange: Exchange): Exchange {
  const { question, answer, status, detail } = exchange
  // A question that was given up may still be answered.
  const error = status === 'stream' || status === 'completed' ? '' : exchange.error
  return {
    ...exchange, question: clamp(question, longestAnswer), answer: clamp(answer, longestAnswer), error: clamp(error, longestAnswer),
    detail: error === '' ? '' : detail,
  }
}
