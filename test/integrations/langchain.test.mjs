import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { after, before, describe, it } from 'node:test'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'
import { createAgent, createMiddleware, tool, ToolMessage } from 'langchain'
import { z } from 'zod'
import { fromLangChain, journeyCallbacks } from '@playctl/sdk/langchain'
import { startHost } from './host.mjs'

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

/** What of a world is compared with a golden file: ids and times differ from run to run. */
function golden(name, value) {
  const file = path.join(import.meta.dirname, 'testdata', `${name}.json`)
  if (process.env.UPDATE !== undefined) writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
  assert.deepEqual(value, JSON.parse(readFileSync(file, 'utf8')))
}

describe('an agent of LangChain', () => {
  let host
  before(async () => { host = await startHost() })
  after(async () => { await host.end() })

  it('is on the map with its forms, streams its answer and records what it did', async (test) => {
    const world = host.world()
    test.after(async () => world.close())
    const ada = await world.agent('Ada', fromLangChain(made()))
    const parts = []
    const answer = await world.ask({ to: ada.id, text: 'A table for four, please', onPartial: (part) => { if (part.status === 'stream') parts.push(part.message) } })
    assert.equal(answer.message, 'Booked for Saturday.')
    assert.equal(parts.join(''), 'Booked for Saturday.')
    assert.equal((await world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'saturday' } })).message, '4')
    await assert.rejects(world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'monday' } }), /not what the tool takes/u)
    const { worldMap } = await world.getWorldSnapshot()
    const { name, platform, toolNames, assistTools } = worldMap.occupants.find((row) => row.name === 'Ada')
    const { journeys } = await (await world.client()).listJourneys({})
    golden('langchain', {
      row: { name, platform, toolNames, assistTools },
      journeys: journeys.map(({ journey }) => journey.steps.map(({ type, content, toolName, args, result }) => ({ type, content, toolName, args, result })).map((step) => JSON.parse(JSON.stringify(step)))),
    })
  })

  it('ends a run that nobody waits for any more', async (test) => {
    const world = host.world()
    const asker = host.world()
    test.after(async () => { await Promise.all([world.close(), asker.close()]) })
    let ended
    const over = new Promise((resolve) => { ended = resolve })
    const agent = createAgent({ model: new Scripted([{ call: { id: 'w', name: 'wait', args: {} } }, { words: ['done'] }]), tools: [wait] })
    const program = fromLangChain(agent)
    await world.agent('Bo', { ...program, chat: async function* (message) {
      message.signal.addEventListener('abort', () => { ended(message.signal.reason) })
      yield* program.chat(message)
    }, onError: () => undefined })
    const { worldMap } = await asker.getWorldSnapshot()
    const asked = asker.ask({ to: worldMap.occupants.find((row) => row.name === 'Bo').agentId, text: 'Wait' })
    asked.catch(() => undefined)
    await waiting
    await world.close()
    assert.equal((await over).name, 'ClosedError')
    await assert.rejects(asked)
  })

  it('records runs of its own as journeys', async (test) => {
    const world = host.world()
    test.after(async () => world.close())
    const cy = await world.agent('Cy')
    await made().invoke({ messages: [{ role: 'user', content: 'secret order' }] }, {
      callbacks: [journeyCallbacks(cy, { redact: (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step) })],
    })
    const { journeys } = await (await world.client()).listJourneys({ playerId: cy.id })
    assert.deepEqual(journeys.map(({ journey }) => journey.steps.map((step) => step.toolName ?? step.content)), [['an order', 'search', 'book', 'book', 'Booked for Saturday.']])
  })

  it('leaves a recording that replays', () => {
    const file = path.join(host.folder, 'recording')
    host.run('tail', '--from-start', '--follow=false', '--record', file, '--output', 'ndjson')
    assert.match(host.run('replay', file, '--output', 'ndjson'), /world:journey/u)
  })
})
