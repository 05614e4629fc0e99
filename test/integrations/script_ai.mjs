// A scripted model and tools for agents of the Vercel AI SDK.
import { z } from 'zod'
import { book, callsOf, search } from './script.mjs'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
/** The first message of a run is the user's; each turn of the model adds one. */
const turnOf = (turns, { prompt }) => turns[prompt.filter(({ role }) => role === 'assistant').length % turns.length]
const reason = (turn) => ({ unified: callsOf(turn).length === 0 ? 'stop' : 'tool-calls', raw: undefined })
const callPart = ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) })

/** A model that follows a script. */
export const scripted = ({ Mock, stream }, turns) => new Mock({
  doGenerate: async (options) => {
    const turn = turnOf(turns, options)
    await turn.when?.()
    const content = turn.words === undefined ? callsOf(turn).map(callPart) : [{ type: 'text', text: turn.words.join('') }]
    return { content, finishReason: reason(turn), usage, warnings: [] }
  },
  doStream: async (options) => {
    const turn = turnOf(turns, options)
    await turn.when?.()
    const words = turn.words ?? []
    return { stream: stream([
      { type: 'stream-start', warnings: [] },
      ...(turn.words !== undefined ? [{ type: 'text-start', id: 't' }, ...words.map((delta) => ({ type: 'text-delta', id: 't', delta })), { type: 'text-end', id: 't' }] : callsOf(turn).map(callPart)),
      { type: 'finish', finishReason: reason(turn), usage },
    ]) }
  },
})

/** The tools that it calls. */
export const toolsOf = ({ tool }) => ({
  search: tool({ description: 'Finds free seats', inputSchema: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }), execute: async (args) => search(args) }),
  book: tool({ description: 'Books a table', inputSchema: z.object({ people: z.number().int(), day: z.string() }), execute: async (args) => book(args) }),
})
