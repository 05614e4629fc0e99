// A model that calls the tool and then says so, in place of one that costs money.
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const call = [{ type: 'tool-call', toolCallId: 'c1', toolName: 'book', input: JSON.stringify({ day: 'saturday', people: 4 }) }]
const words = [{ type: 'text-start', id: 't' }, ...['Booked ', 'for ', 'Saturday.'].map((delta) => ({ type: 'text-delta', id: 't', delta })), { type: 'text-end', id: 't' }]

/** Makes the model. */
export function scripted() {
  return new MockLanguageModelV3({
    doStream: async ({ prompt }) => {
      const called = prompt.at(-1)?.role === 'tool'
      const finish = { type: 'finish', finishReason: { unified: called ? 'stop' : 'tool-calls', raw: undefined }, usage }
      return { stream: convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...(called ? words : call), finish]) }
    },
  })
}
