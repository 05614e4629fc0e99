import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { it } from 'node:test'
import { Agent, OpenAIChatCompletionsModel, run, setTraceProcessors, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { fromOpenAiAgents, journeyProcessor } from '@playctl/sdk/openai-agents'
import { describeAdapter, turns as allTurns, waitingTurns } from './adapter.mjs'
import { journeysOf } from './observed.mjs'
import { failing, made, scripted, strict, tools } from './script_openai.mjs'

// Without OpenAI's trace processor: no trace leaves the machine.
setTraceProcessors([])
setTracingDisabled(false)

const turns = strict(allTurns)
const pay = tool({ name: 'pay', description: 'Pays', parameters: z.object({}), needsApproval: true, execute: async () => 'paid' })

describeAdapter("an agent of OpenAI's Agents SDK", {
  file: 'openai-agents',
  booking: (options) => fromOpenAiAgents(made(scripted(turns)), { run, ...options }),
  waits: (wait, options) => {
    const waiting = tool({ name: 'wait', description: 'Waits', parameters: z.object({}), execute: async (_args, _context, { signal }) => wait(signal) })
    return fromOpenAiAgents(new Agent({ name: 'Bo', model: scripted(waitingTurns), tools: [waiting] }), { run, ...options })
  },
  fails: (reason, options) => fromOpenAiAgents(new Agent({ name: 'Cy', model: failing(reason) }), { run, ...options }),
  more: (open) => {
    it('leaves approvals to its program', async (test) => {
      const world = open(test)
      const said = [{ call: { id: 'p', name: 'pay', args: {} } }, { words: ['Paid.'] }]
      const eve = await world.agent('Eve', fromOpenAiAgents(made(scripted(said), [pay]), { run, onError: () => undefined }))
      await assert.rejects(world.ask({ to: eve.id, tool: 'assist_pay', args: {} }), /needs an approval/u)
      await assert.rejects(world.ask({ to: eve.id, text: 'Pay' }), /waits for an approval/u)
    })

    it('reports the failure of a tool that a user calls', async (test) => {
      const world = open(test)
      const hal = await world.agent('Hal', fromOpenAiAgents(made(scripted(turns)), { run }))
      await assert.rejects(world.ask({ to: hal.id, tool: 'assist_book', args: { day: 'friday', people: 4 } }), /occurred while running the tool/u)
    })

    it('answers with the tool result if that ends the run', async (test) => {
      const world = open(test)
      const agent = new Agent({ name: 'Fay', model: scripted(turns), tools, toolUseBehavior: 'stop_on_first_tool' })
      const fay = await world.agent('Fay', fromOpenAiAgents(agent, { run, record: (step) => (step.type === 'structure' ? { ...step, args: {} } : step) }))
      assert.equal((await world.ask({ to: fay.id, text: 'Is there a seat?' })).message, '{"free":0}')
      assert.deepEqual((await journeysOf(world, fay))[0][1], { type: 'structure', toolName: 'search', args: {}, result: { free: 0 } })
    })

    it('records its own runs as journeys', async (test) => {
      const world = open(test)
      test.after(() => { setTraceProcessors([]) })
      const di = await world.agent('Di', fromOpenAiAgents(made(scripted(turns)), { run }))
      const redact = (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step)
      const processor = journeyProcessor(di, { redact })
      setTraceProcessors([processor])
      await run(made(scripted(turns)), 'secret order')
      await processor.forceFlush()
      const [steps] = await journeysOf(world, di)
      assert.deepEqual(steps.map(({ toolName, content }) => toolName ?? content), ['an order', 'search', 'book', 'book', 'done'])
      assert.deepEqual(steps.map(({ result }) => result), [undefined, { free: 0 }, { error: 'failed' }, 'booked 4 on saturday', undefined])
      await world.ask({ to: di.id, text: 'A table for four, please' })
      await processor.forceFlush()
      assert.equal((await journeysOf(world, di)).length, 2, 'an answer to the world is recorded once')
    })

    it('records the question and answer of an OpenAI model', async (test) => {
      const world = open(test)
      const server = createServer((_request, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Good morning.' } }] }))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      test.after(() => {
        server.close()
        setTraceProcessors([])
      })
      const client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${server.address().port}/v1` })
      const gus = await world.agent('Gus')
      const processor = journeyProcessor(gus)
      setTraceProcessors([processor])
      await run(new Agent({ name: 'Gus', model: new OpenAIChatCompletionsModel(client, 'm') }), 'Hello')
      await processor.forceFlush()
      assert.deepEqual((await journeysOf(world, gus)).map((steps) => steps.map(({ content }) => content)), [['Hello', 'Good morning.']])
    })
  },
})
