import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { createAgent, createMiddleware, tool, ToolMessage } from 'langchain'
import { z } from 'zod'
import { fromLangChain, journeyCallbacks } from '@playctl/sdk/langchain'
import { startHost } from './host.mjs'
import { askWhole, closeWhileAsked, golden, journeysOf, observed } from './observed.mjs'

/** A model that says what a script has: tool calls one after the other, then words. */
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

const seats = { friday: 0, saturday: 4 }
const search = tool(({ day }) => String(seats[day]), { name: 'search', description: 'Finds free seats', schema: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }) })
const book = tool(({ day, people }) => {
  if (seats[day] < people) throw new Error(`no ${people} seats on ${day}`)
  return `booked ${people} on ${day}`
}, { name: 'book', description: 'Books a table', schema: z.object({ people: z.number().int(), day: z.string() }) })
let begins
/** Resolves once the tool wait runs. */
const waiting = new Promise((resolve) => { begins = resolve })
const wait = tool(async (_args, config) => new Promise((_resolve, reject) => {
  begins()
  config.signal?.addEventListener('abort', () => { reject(config.signal.reason) })
}), { name: 'wait', description: 'Waits', schema: z.object({}) })

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

const made = () => createAgent({
  model: new Scripted([
    { call: { id: 'c1', name: 'search', args: { day: 'friday' } } }, { call: { id: 'c2', name: 'book', args: { people: 4, day: 'friday' } } },
    { call: { id: 'c3', name: 'book', args: { people: 4, day: 'saturday' } } }, { words: ['Booked ', 'for ', 'Saturday.'] },
  ]),
  tools: [search, book, wait], middleware: [goesOn],
})

describe('an agent of LangChain', () => {
  let host, proved
  before(async () => {
    host = await startHost()
    proved = await host.record()
  })
  after(async () => { await host.end() })

  it('is on the map with its forms, streams its answer and records what it did', async (test) => {
    const world = host.world()
    test.after(async () => world.close())
    const ada = await world.agent('Ada', fromLangChain(made()))
    const { answer, streamed } = await askWhole(world, { to: ada.id, text: 'A table for four, please' })
    assert.equal(answer.message, 'Booked for Saturday.')
    assert.equal(streamed, answer.message)
    assert.equal((await world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'saturday' } })).message, '4')
    await assert.rejects(world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'monday' } }), /not what the tool takes/u)
    await ada.say('Saturday is booked.')
    golden('langchain', await observed(world, ada))
  })

  it('ends a run that nobody waits for any more', async () => {
    const world = host.world()
    let ended
    const over = new Promise((resolve) => { ended = resolve })
    const program = fromLangChain(createAgent({ model: new Scripted([{ call: { id: 'w', name: 'wait', args: {} } }, { words: ['done'] }]), tools: [wait] }))
    const agent = await world.agent('Bo', { ...program, chat: async function* (message) {
      message.signal.addEventListener('abort', () => { ended(message.signal.reason) })
      yield* program.chat(message)
    }, onError: () => undefined })
    const reason = await closeWhileAsked({ host, world, agent, question: { text: 'Wait' }, waiting, over })
    assert.equal(reason.name, 'ClosedError')
  })

  it('records runs of its own as journeys', async (test) => {
    const world = host.world()
    test.after(async () => world.close())
    const cy = await world.agent('Cy')
    await made().invoke({ messages: [{ role: 'user', content: 'secret order' }] }, {
      callbacks: [journeyCallbacks(cy, { redact: (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step) })],
    })
    assert.deepEqual((await journeysOf(world, cy)).map((steps) => steps.map((step) => step.toolName ?? step.content)), [['an order', 'search', 'book', 'book', 'Booked for Saturday.']])
  })

  it('leaves a recording that replays and proves', async () => {
    const { ok, events, proved: equal } = await proved()
    assert.ok(ok)
    assert.ok(equal > 0)
    assert.equal(equal, events)
  })
})
