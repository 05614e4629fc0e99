import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent, Journey } from '../src/index.js'
import { journeyCallbacks } from '../src/langchain/index.js'

describe('the callbacks of LangChain', () => {
  it('record the tools of a run after many others that did not all end', async () => {
    const journeys: Journey[] = []
    const agent = { show: () => undefined, showStarter: () => undefined, recordJourney: async (journey: Journey) => Promise.resolve(journeys.push(journey)) }
    const callbacks = journeyCallbacks(agent as unknown as Agent)
    for (let run = 0; run < 1100; run++) {
      const [outer, inner, tool] = [`outer ${run}`, `inner ${run}`, `tool ${run}`]
      callbacks.handleChainStart({}, 'q', outer)
      callbacks.handleChainStart({}, 'q', inner, outer)
      callbacks.handleToolStart({ name: 't' }, '{}', tool, inner)
      callbacks.handleToolEnd('x', tool)
      if (run % 2 === 0) await callbacks.handleChainEnd('a', inner)
      await callbacks.handleChainEnd('a', outer)
    }
    assert.deepEqual(new Set(journeys.map(({ steps }) => steps.length)), new Set([3]))
  })

  it('record a run within a run of another agent', async () => {
    const journeys: Journey[] = []
    const agent = { show: () => undefined, showStarter: () => undefined, recordJourney: async (journey: Journey) => Promise.resolve(journeys.push(journey)) }
    const callbacks = journeyCallbacks(agent as unknown as Agent)
    callbacks.handleChainStart({}, 'q', 'own', "another agent's tool")
    callbacks.handleChainStart({}, 'q', 'inner', 'own')
    await callbacks.handleChainEnd('a', 'inner')
    await callbacks.handleChainEnd('a', 'own')
    assert.equal(journeys.length, 1)
  })
})
