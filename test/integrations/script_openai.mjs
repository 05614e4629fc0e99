// A scripted model and tools for agents of OpenAI's Agents SDK.
import { Agent, tool } from '@openai/agents'
import { ScriptedModel, assistantMessage, functionCall, modelStreamResponder } from '@openai/agents-core/testing'
import { z } from 'zod'
import { book, search } from './script.mjs'

/** Strict schemas have no property that may be left out. */
export const strict = (turns) => turns.map(({ call, words }) => ({ call: call?.name === 'search' ? { ...call, args: { ...call.args, note: null } } : call, words }))

/** A model that says what a script has, all at once. */
export const scripted = (said) => new ScriptedModel(said.map(({ call, words }) => [call === undefined ? assistantMessage(words.join('')) : functionCall(call.name, call.args, { callId: call.id })]))

/** A model that says what a script has, words in parts. */
export const streaming = (said) => new ScriptedModel(said.map(({ call, words = [] }) => modelStreamResponder(async function* () {
  const output = call === undefined ? [assistantMessage(words.join(''))] : [functionCall(call.name, call.args, { callId: call.id })]
  yield { type: 'response_started' }
  for (const delta of words) yield { type: 'output_text_delta', delta }
  yield { type: 'response_done', response: { id: 'r', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, output } }
})))

/** The tools that it calls. */
export const tools = [
  tool({ name: 'search', description: 'Finds free seats', parameters: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().nullable() }), execute: search }),
  tool({ name: 'book', description: 'Books a table', parameters: z.object({ people: z.number().int(), day: z.string() }), execute: book }),
]
/** An agent with a model. */
export const made = (model, more = []) => new Agent({ name: 'Ada', instructions: 'You book tables.', model, tools: [...tools, ...more] })
