import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as ai6 from 'ai'
import * as mocks6 from 'ai/test'
import * as ai7 from 'ai-7'
import * as mocks7 from 'ai-7/test'
import { z } from 'zod'
import { fromAiSdk, recordRun } from '@playctl/sdk/ai'
import { startHost } from './host.mjs'
import { askWhole, closeWhileAsked, golden, journeysOf, observed } from './observed.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false

const versions = {
  6: { ai: ai6, Mock: mocks6.MockLanguageModelV3, stream: mocks6.convertArrayToReadableStream },
  7: { ai: ai7, Mock: mocks7.MockLanguageModelV4, stream: mocks7.convertArrayToReadableStream },
}

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
/** The first message of a run is the user's; each turn of the model adds one. */
const turnOf = (turns, { prompt }) => turns[prompt.filter(({ role }) => role === 'assistant').length % turns.length]
const reason = ({ call }) => ({ unified: call === undefined ? 'stop' : 'tool-calls', raw: undefined })
const callPart = ({ id, name, args }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) })

/** A model that says what a script has: tool calls one after the other, then words. */
const scripted = ({ Mock, stream }, turns) => new Mock({
  doGenerate: async (options) => {
    const turn = turnOf(turns, options)
    const content = turn.call === undefined ? [{ type: 'text', text: turn.words.join('') }] : [callPart(turn.call)]
    return { content, finishReason: reason(turn), usage, warnings: [] }
  },
  doStream: async (options) => {
    const turn = turnOf(turns, options)
    const words = turn.words ?? []
    return { stream: stream([
      { type: 'stream-start', warnings: [] },
      ...(turn.call === undefined ? [{ type: 'text-start', id: 't' }, ...words.map((delta) => ({ type: 'text-delta', id: 't', delta })), { type: 'text-end', id: 't' }] : [callPart(turn.call)]),
      { type: 'finish', finishReason: reason(turn), usage },
    ]) }
  },
})

const seats = { friday: 0, saturday: 4 }
const toolsOf = ({ tool }) => ({
  search: tool({ description: 'Finds free seats', inputSchema: z.object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }), execute: async ({ day }) => ({ free: seats[day] }) }),
  book: tool({
    description: 'Books a table', inputSchema: z.object({ people: z.number().int(), day: z.string() }),
    execute: async ({ day, people }) => {
      if (seats[day] < people) throw new Error(`no ${people} seats on ${day}`)
      return `booked ${people} on ${day}`
    },
  }),
})
/** A tool that only an approval of the program lets run: people may not call it. */
const pay = ({ tool }) => tool({ description: 'Pays', inputSchema: z.object({}), needsApproval: true, execute: async () => 'paid' })
const turns = [
  { call: { id: 'c1', name: 'search', args: { day: 'friday' } } }, { call: { id: 'c2', name: 'book', args: { people: 4, day: 'friday' } } },
  { call: { id: 'c3', name: 'book', args: { people: 4, day: 'saturday' } } }, { words: ['Booked ', 'for ', 'Saturday.'] },
]

for (const [version, parts] of Object.entries(versions)) {
  const { ai } = parts
  const made = () => new ai.ToolLoopAgent({ model: scripted(parts, turns), tools: { ...toolsOf(ai), pay: pay(ai) } })

  describe(`an agent of the AI SDK ${version}`, () => {
    let host, proved
    before(async () => {
      host = await startHost()
      proved = await host.record()
    })
    after(async () => { await host.end() })

    it('is on the map with its forms, streams its answer and records what it did', async (test) => {
      const world = host.world()
      test.after(async () => world.close())
      const ada = await world.agent('Ada', fromAiSdk(made()))
      const { answer, streamed } = await askWhole(world, { to: ada.id, text: 'A table for four, please' })
      assert.equal(answer.message, 'Booked for Saturday.')
      assert.equal(streamed, answer.message)
      assert.equal((await world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'saturday' } })).result.free, 4)
      await assert.rejects(world.ask({ to: ada.id, tool: 'assist_search', args: { day: 'monday' } }), /not what the tool takes/u)
      await ada.say('Saturday is booked.')
      golden('ai', await observed(world, ada))
    })

    it('takes functions that call generateText', async (test) => {
      const world = host.world()
      test.after(async () => world.close())
      const model = scripted(parts, turns)
      const eve = await world.agent('Eve', fromAiSdk(({ text, signal }) => ai.generateText({ model, tools: toolsOf(ai), prompt: text, abortSignal: signal, stopWhen: ai.stepCountIs(9) })))
      assert.equal((await world.ask({ to: eve.id, text: 'A table for four, please' })).message, 'Booked for Saturday.')
      assert.deepEqual((await journeysOf(world, eve)).map((steps) => steps.length), [5])
    })

    it('ends a run that nobody waits for any more', async () => {
      const world = host.world()
      let begins, ended
      const waiting = new Promise((resolve) => { begins = resolve })
      const over = new Promise((resolve) => { ended = resolve })
      const wait = ai.tool({ description: 'Waits', inputSchema: z.object({}), execute: async (_args, { abortSignal }) => new Promise((_resolve, reject) => {
        abortSignal.addEventListener('abort', () => {
          ended(abortSignal.reason)
          reject(abortSignal.reason)
        })
        begins()
      }) })
      const agent = await world.agent('Bo', fromAiSdk(new ai.ToolLoopAgent({ model: scripted(parts, [{ call: { id: 'w', name: 'wait', args: {} } }, { words: ['done'] }]), tools: { wait } }), { onError: () => undefined }))
      const why = await closeWhileAsked({ host, world, agent, question: { text: 'Wait' }, waiting, over })
      assert.equal(why.name, 'ClosedError')
    })

    it('reports what fails to the developer, and to the asker neutrally', async (test) => {
      const world = host.world()
      test.after(async () => world.close())
      const errors = []
      const model = new parts.Mock({ doStream: async () => { throw new Error('a secret reason') } })
      const cy = await world.agent('Cy', fromAiSdk(new ai.ToolLoopAgent({ model, maxRetries: 0 }), { onError: (error) => { errors.push(error.message) } }))
      await assert.rejects(world.ask({ to: cy.id, text: 'Hello' }), (error) => !error.message.includes('secret'))
      assert.deepEqual(errors, ['a secret reason'])
    })

    it('records runs of its own as journeys', async (test) => {
      const world = host.world()
      test.after(async () => world.close())
      const di = await world.agent('Di')
      const prompt = 'secret order'
      const redact = (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step)
      const { text } = await recordRun(di, prompt, made().generate({ prompt }), { redact })
      assert.equal(text, 'Booked for Saturday.')
      assert.deepEqual((await journeysOf(world, di)).map((steps) => steps.map((step) => step.toolName ?? step.content)), [['an order', 'search', 'book', 'book', text]])
    })

    it('leaves a recording that replays and proves', async () => {
      const { ok, events, proved: equal } = await proved()
      assert.ok(ok)
      assert.equal(equal, events)
    })
  })
}
