// The required behavior of agents of LangChain and of LangGraph, as tests.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { fromLangChain, journeyCallbacks } from '@playctl/sdk/langchain'
import { describeAdapter, turns, waitingTurns } from './adapter.mjs'
import { journeysOf } from './observed.mjs'
import { Scripted } from './script_langchain.mjs'

const waits = (wait) => tool(async (_args, { signal }) => wait(signal), { name: 'wait', description: 'Waits', schema: z.object({}) })

/** A model that fails. */
class Failing extends Scripted {
  async *_streamResponseChunks() { throw new Error(this.turns) }
}

/** The tests of a function that creates a program from turns and tools. */
export const describeMade = (title, made, given = {}) => {
  describeAdapter(title, {
    file: 'langchain',
    booking: (options) => fromLangChain(made(turns), { ...given, ...options }),
    waits: (wait, options) => fromLangChain(made(waitingTurns, [waits(wait)]), options),
    fails: (reason, options) => fromLangChain(new Failing(reason), { ...options, input: (text) => text }),
    free: ({ message }) => Number(message),
    more: (open) => {
      it('records its own runs as journeys', async (test) => {
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
