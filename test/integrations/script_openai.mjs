// A scripted model and tools for agents of OpenAI's Agents SDK.
import { Agent, Usage, tool } from '@openai/agents'
import { z } from 'zod'
import { book, callsOf, search } from './script.mjs'

/** Strict schemas have no optional properties. */
export const strict = (turns) => turns.map(({ call, words }) => ({ call: call?.name === 'search' ? { ...call, args: { ...call.args, note: null } } : call, words }))

/** The model's output for a turn of a script. */
const outputOf = (turn) => (turn.words === undefined
  ? callsOf(turn).map((call) => ({ type: 'function_call', callId: call.id, name: call.name, arguments: JSON.stringify(call.args), status: 'completed' }))
  : [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: turn.words.join('') }] }])

/** A model that follows a script, turn by turn; streamed text comes in parts. */
export const scripted = (said) => {
  let turn = 0
  const next = () => said[turn++ % said.length]
  return {
    getResponse: async () => ({ usage: new Usage(), output: outputOf(next()) }),
    async *getStreamedResponse() {
      const now = next()
      await now.when?.()
      yield { type: 'response_started' }
      for (const delta of now.words ?? []) yield { type: 'output_text_delta', delta }
      yield { type: 'response_done', response: { id: 'r', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, output: outputOf(now) } }
    },
  }
}

/** A model that fails. */
export const failing = (reason) => ({
  getResponse: async () => { throw new Error(reason) },
  async *getStreamedResponse() { throw new Error(reason) },
})

/** The tools that it calls. */
export const tools = [
  tool({ name: 'search', description: 'Finds free seats', parameters: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().nullable() }), execute: search }),
  tool({ name: 'book', description: 'Books a table', parameters: z.object({ people: z.number().int(), day: z.string() }), execute: book }),
]
/** An agent with a model. */
export const made = (model, more = []) => new Agent({ name: 'Ada', instructions: 'You book tables.', model, tools: [...tools, ...more] })
