import { asObject, asText, member } from '../json/read.js'
import type { IntercomCommand, IntercomStatus, JsonObject } from '../protocol/contract.js'

/** A question to an agent and its answer so far, for a program that shows it as the `world:intercom` events arrive. */
export interface Exchange {
  readonly requestId: string
  /** The agent's id. */
  readonly agentId: string
  /** The tool that was called; empty if none was. */
  readonly toolName: string
  /** The question's text, or the tool's arguments as JSON. */
  readonly question: string
  /** `sending` until its first event; `not-sent` is for a program whose call failed, with the reason in `error`. */
  readonly status: IntercomStatus | 'sending' | 'not-sent'
  /** The answer so far. */
  readonly answer: string
  /** The answer's result besides its text, such as `{"table": 7}`; absent if there is none. */
  readonly result?: JsonObject
  /** Why the question failed; empty unless it did. */
  readonly error: string
}

/** Returns the exchange that a command begins. */
export function exchangeOf({ requestId, toPlayerId, toolName, text, args }: IntercomCommand): Exchange {
  return { requestId, agentId: toPlayerId, toolName: toolName ?? '', question: text ?? (args === undefined ? '' : JSON.stringify(args)), status: 'sending', answer: '', error: '' }
}

/** Returns the exchange of an event before that event, for an exchange that another program began. The data need not be well formed. */
export function exchangeIn(data: JsonObject): Exchange {
  const field = (name: string) => asText(member(data, name)) ?? ''
  return { requestId: field('requestId'), agentId: field('fromPlayerId'), toolName: field('toolName'), question: '', status: 'sending', answer: '', error: '' }
}

/** Returns the exchange after an event of its request. The data need not be well formed; members that a program added to the exchange stay. */
export function nextExchange<E extends Exchange>(before: E, data: JsonObject): E {
  switch (asText(member(data, 'status'))) {
    case 'started':
      return before.status === 'sending' || before.status === 'not-sent' ? { ...before, status: 'started', error: '' } : before
    case 'forwarded':
      return { ...before, status: 'forwarded', error: '', question: before.question || questionIn(asObject(member(data, 'command'))) }
    case 'stream':
      return { ...before, status: 'stream', answer: joined(before.answer, answerIn(data)), ...resultIn(data) }
    case 'completed':
      // The last answer is the complete one, unless it is empty.
      return { ...before, status: 'completed', answer: answerIn(data) || before.answer, ...resultIn(data) }
    case 'failed':
      return { ...before, status: 'failed', error: asText(member(data, 'error')) ?? '' }
    default:
      return before
  }
}

function questionIn(command: JsonObject | undefined): string {
  const args = member(command, 'args')
  return wordsIn(command, 'text') ?? (args === undefined ? '' : JSON.stringify(args))
}

/**
 * Appends a part of an answer to the previous parts. Parts are pieces of one text, such as a model's
 * tokens, or whole sentences, such as "Looking…": a sentence begins a new line.
 */
function joined(before: string, part: string): string {
  return /[.!?…。！？]$/u.test(before) && /^[\p{Lu}\p{Lo}]\p{L}*\P{L}/u.test(part) ? `${before}\n${part}` : before + part
}

/** Returns the text of an answer: its message, or the message in its result. */
function answerIn(data: JsonObject): string {
  return wordsIn(data, 'message') ?? wordsIn(asObject(member(data, 'result')), 'message') ?? ''
}

/** Returns the result besides the text of the answer; an empty object if there is no more. */
function resultIn(data: JsonObject): { result?: JsonObject } {
  const said = answerIn(data)
  const rest = Object.entries(asObject(member(data, 'result')) ?? {})
    .filter(([name, value]) => !(name === 'message' && value === said) && !(name === 'messageKind' && value === 'text'))
  return rest.length === 0 ? {} : { result: Object.fromEntries(rest) }
}

/** Returns a member that is a non-empty text, otherwise undefined. */
function wordsIn(object: JsonObject | undefined, name: string): string | undefined {
  const words = asText(member(object, name))
  return words === '' ? undefined : words
}
