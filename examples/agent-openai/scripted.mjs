// A model that calls the tool and then says so, in place of one that costs money.

const words = ['Booked ', 'for ', 'Saturday.']
const call = { type: 'function_call', name: 'book', callId: 'c1', status: 'completed', arguments: JSON.stringify({ day: 'saturday', people: 4 }) }
const message = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: words.join('') }] }

/** Makes the model. */
export function scripted() {
  return {
    async *getStreamedResponse({ input }) {
      const called = typeof input !== 'string' && input.at(-1)?.type === 'function_call_result'
      if (called) for (const delta of words) yield { type: 'output_text_delta', delta }
      yield { type: 'response_done', response: { id: 'scripted', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, output: [called ? message : call] } }
    },
  }
}
