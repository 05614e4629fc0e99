import assert from 'node:assert/strict'
import { it } from 'node:test'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { createAgent, createMiddleware, tool, ToolMessage } from 'langchain'
import { z } from 'zod'
import { fromLangChain, journeyCallbacks } from '@playctl/sdk/langchain'
import { book, describeAdapter, search, turns, waitingTurns } from './adapter.mjs'
import { journeysOf } from './observed.mjs'

/** A model that says what a script has. */
class Scripted extends BaseChatModel {
  constructor(turns) {
    super({})
    this.turns = turns
  }

  _llmType() { return 'scripted' }

  bindTools() { return this }

  turn(messages) {
    return this.turns[messages.filter((message) => AIMessage.isInstance(message) || message.getType() === 'ai').length % this.turns.length]
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

const tools = [
  tool((args) => String(search(args).free), { name: 'search', description: 'Finds free seats', schema: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }) }),
  tool(book, { name: 'book', description: 'Books a table', schema: z.object({ people: z.number().int(), day: z.string() }) }),
]
const waits = (wait) => tool(async (_args, { signal }) => wait(signal), { name: 'wait', description: 'Waits', schema: z.object({}) })

/** Gives a tool's failure to the model, as agents that go on do. */
const goesOn = createMiddleware({
  name: 'goesOn',
  wrapToolCall: async (request, handler) => {
    try {
      return await handler(request)
    } catch (error) {
      return new ToolMessage({ content: `failed: ${error.message}`, tool_call_id: request.toolCall.id, status: 'error' })
    }
  },
})
const agent = (said, given = tools) => createAgent({ model: new Scripted(said), tools: given, middleware: [goesOn] })

/** The loop of an agent as a graph of one's own. */
function graph(said, given = tools) {
  const model = new Scripted(said)
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(given))
    .addEdge('__start__', 'model').addConditionalEdges('model', toolsCondition).addEdge('tools', 'model')
    .compile()
}

/** A model that fails. */
class Failing extends Scripted {
  async *_streamResponseChunks() { throw new Error(this.turns) }
}

/** The tests of what makes a program of turns and tools. */
const describeMade = (title, made, given = {}) => {
  describeAdapter(title, {
    file: 'langchain',
    booking: (options) => fromLangChain(made(turns), { ...given, ...options }),
    waits: (wait, options) => fromLangChain(made(waitingTurns, [waits(wait)]), options),
    fails: (reason, options) => fromLangChain(new Failing(reason), { ...options, input: (text) => text }),
    free: ({ message }) => Number(message),
    more: (open) => {
      it('records runs of its own as journeys', async (test) => {
        const world = open(test)
        const di = await world.agent('Di')
        await made(turns).invoke({ messages: [{ role: 'user', content: 'secret order' }] }, {
          callbacks: [journeyCallbacks(di, { redact: (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step) })],
        })
        assert.deepEqual((await journeysOf(world, di)).map((steps) => steps.map((step) => step.toolName ?? step.content)), [['an order', 'search', 'book', 'book', 'Booked for Saturday.']])
      })
    },
  })
}

describeMade('an agent of LangChain', agent)
describeMade('a graph of LangGraph', graph, { tools })
