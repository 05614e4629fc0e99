// A scripted model and tools of LangChain.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { book, search } from './script.mjs'

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
    const { words = [], call } = this.turn(messages)
    const message = new AIMessage({ content: words.join(''), tool_calls: call === undefined ? [] : [{ ...call, type: 'tool_call' }] })
    return { generations: [{ text: words.join(''), message }] }
  }

  async *_streamResponseChunks(messages, _options, manager) {
    const { words = [], call } = this.turn(messages)
    if (call !== undefined) {
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content: '', tool_call_chunks: [{ name: call.name, args: JSON.stringify(call.args), id: call.id, index: 0, type: 'tool_call_chunk' }] }) })
    }
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
