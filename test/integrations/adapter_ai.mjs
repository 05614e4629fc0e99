// The required behavior of agents of each line of the AI SDK, as tests.
import assert from 'node:assert/strict'
import process from 'node:process'
import { it } from 'node:test'
import { z } from 'zod'
import { fromAiSdk, recordRun } from '@playctl/sdk/ai'
import { describeAdapter, turns, waitingTurns } from './adapter.mjs'
import { journeysOf } from './observed.mjs'
import { scripted, toolsOf } from './script_ai.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false

/** A tool that runs only after an approval by the program: people may not call it. */
const pay = ({ tool }) => tool({ description: 'Pays', inputSchema: z.object({}), needsApproval: true, execute: async () => 'paid' })

/** The tests of a line: `parts` are its module and the exports of its mock module; `takes` reports whether it is tested in a version of Node. */
export function describeLine(version, parts, takes) {
  const { ai } = parts
  it(`the AI SDK ${version} is tested in its intended Node version`, () => {
    const [major] = process.versions.node.split('.').map(Number)
    assert.ok(takes(major), `this is Node ${major}`)
  })
  const made = () => new ai.ToolLoopAgent({ model: scripted(parts, turns), tools: { ...toolsOf(ai), pay: pay(ai) } })

  describeAdapter(`an agent of the AI SDK ${version}`, {
    file: 'ai',
    booking: (options) => fromAiSdk(made(), options),
    waits: (wait, options) => {
      const waiting = ai.tool({ description: 'Waits', inputSchema: z.object({}), execute: async (_args, { abortSignal }) => wait(abortSignal) })
      return fromAiSdk(new ai.ToolLoopAgent({ model: scripted(parts, waitingTurns), tools: { wait: waiting } }), options)
    },
    fails: (reason, options) => {
      const model = new parts.Mock({ doStream: async () => { throw new Error(reason) } })
      return fromAiSdk(new ai.ToolLoopAgent({ model, maxRetries: 0 }), options)
    },
    more: (open) => {
      it('accepts functions that call generateText', async (test) => {
        const world = open(test)
        const model = scripted(parts, turns)
        const eve = await world.agent('Eve', fromAiSdk(({ text, signal }) => ai.generateText({ model, tools: toolsOf(ai), prompt: text, abortSignal: signal, stopWhen: ai.stepCountIs(9) })))
        assert.equal((await world.ask({ to: eve.id, text: 'A table for four, please' })).message, 'Booked for Saturday.')
        assert.deepEqual((await journeysOf(world, eve)).map((steps) => steps.length), [5])
      })

      it('records its own runs as journeys', async (test) => {
        const world = open(test)
        const di = await world.agent('Di')
        const prompt = 'secret order'
        const redact = (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step)
        const { text } = await recordRun(di, prompt, made().generate({ prompt }), { redact })
        assert.equal(text, 'Booked for Saturday.')
        assert.deepEqual((await journeysOf(world, di)).map((steps) => steps.map((step) => step.toolName ?? step.content)), [['an order', 'search', 'book', 'book', text]])
      })
    },
  })
}
