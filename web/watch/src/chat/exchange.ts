import { exchangeIn, nextExchange, type Exchange as Answer, type JsonObject } from '@playctl/sdk'
import type { Fault } from '../access/faults.js'
import { clamp } from '../feed/entry.js'

/** What was asked of an agent, and what it answered so far. */
export interface Exchange extends Answer {
  /** What the host says of the error beside it; mostly empty. */
  readonly detail: string
  readonly at: number
}

/** So many exchanges are kept, and so many characters of each answer. */
export const keptExchanges = 200
const longestAnswer = 20_000

/** Adds a question that is being sent; the same one again takes its own place. */
export function ask(exchanges: readonly Exchange[], question: Answer, at: number): readonly Exchange[] {
  return [...exchanges.filter((known) => known.requestId !== question.requestId), { ...question, detail: '', at }].slice(-keptExchanges)
}

/** Says that a question could not be sent, and why. */
export function notSent(exchanges: readonly Exchange[], requestId: string, { message, detail }: Fault): readonly Exchange[] {
  return exchanges.map((known) => known.requestId === requestId && known.status === 'sending' ? { ...known, status: 'not-sent', error: message, detail } : known)
}

/** Takes in what the host says about a question; one that is not known was asked before the page was opened. */
export function answered(exchanges: readonly Exchange[], data: JsonObject, at: number): readonly Exchange[] {
  const known = exchanges.find((exchange) => exchange.requestId === data.requestId)
  const after = bounded(nextExchange(known ?? { ...exchangeIn(data), detail: '', at }, data))
  return known === undefined
    ? [...exchanges, after].slice(-keptExchanges)
    : exchanges.map((exchange) => exchange === known ? after : exchange)
}

const waiting: ReadonlySet<Exchange['status']> = new Set(['sending', 'started', 'forwarded', 'stream'])

/** Ends what was asked and not yet answered, where no answer to it can be expected, and says why. */
export function givenUp(exchanges: readonly Exchange[], why: string): readonly Exchange[] {
  return exchanges.map((known) => waiting.has(known.status) ? { ...known, status: 'failed', error: why, detail: '' } : known)
}

function bounded(exchange: Exchange): Exchange {
  const { question, answer, status, detail } = exchange
  // What was given up may be answered after all.
  const error = status === 'stream' || status === 'completed' ? '' : exchange.error
  return {
    ...exchange, question: clamp(question, longestAnswer), answer: clamp(answer, longestAnswer), error: clamp(error, longestAnswer),
    detail: error === '' ? '' : detail,
  }
}
