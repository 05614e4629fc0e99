// A model that calls the tool and then says so, in place of one that costs money.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'

export class Scripted extends BaseChatModel {
  _llmType() { return 'scripted' }

  bindTools() { return this }

  async _generate(messages) {
    const called = messages.at(-1)?.getType() === 'tool'
    const message = called ? new AIMessage('Booked for Saturday.') : new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'book', args: { day: 'saturday', people: 4 }, type: 'tool_call' }] })
    return { generations: [{ text: message.text, message }] }
  }
}
