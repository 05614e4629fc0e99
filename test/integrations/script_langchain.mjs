// A scripted model and tools of LangChain.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { book, callsOf, search } from './script.mjs'

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }

/** A model that follows a script. */
export class Scripted extends BaseChatModel {
  constructor(turns) {
    super({})
    this.turns = turns
  }

  _llmType() { return 'scripted' }

  bindTools() { return this }

  turn(messages) {
    return this.turns[messages.filter((message) => message.getType() === 'ai').length % this.turns.length]
  }

  async _generate(messages) {
    const turn = this.turn(messages)
    await turn.when?.()
    const { words = [] } = turn
    const message = new AIMessage({ content: words.join(''), tool_calls: callsOf(turn).map((call) => ({ ...call, type: 'tool_call' })), usage_metadata: usage })
    return { generations: [{ text: words.join(''), message }] }
  }

  async *_streamResponseChunks(messages, _options, manager) {
    const turn = this.turn(messages)
    await turn.when?.()
    const { words = [] } = turn
    const chunks = callsOf(turn).map(({ name, args, id }, index) => ({ name, args: JSON.stringify(args), id, index, type: 'tool_call_chunk' }))
    yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content: '', tool_call_chunks: chunks, usage_metadata: usage }) })
    for (const word of words) {
      yield new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) })
      await manager?.handleLLMNewToken(word)
    }
  }
}

/** The tools that it calls. */
export const tools = [
  tool((args) => String(search(args).free), { name: 'search', description: 'Finds free seats', schema: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }) }),
  tool(book, { name: 'book', description: 'Books a table', schema: z.object({ people: z.number().int(), day: z.string() }) }),
]
