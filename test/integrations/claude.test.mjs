import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, it } from 'node:test'
import { query, tool } from '@anthropic-ai/claude-agent-sdk'
import { fromClaude, journeyHooks } from '@playctl/sdk/claude'
import { describeAdapter, turns, waitingTurns } from './adapter.mjs'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { journeysOf } from './observed.mjs'
import { claudeOptions, scriptedClaude as scripted, text, tools } from './script_claude.mjs'

const home = mkdtempSync(path.join(tmpdir(), 'playctl-claude-'))
let booking, waiting, failing
before(async () => { [booking, waiting, failing] = await Promise.all([scripted(turns), scripted(waitingTurns), startMessages({ refusal: 'a secret reason' })]) })
after(() => {
  for (const { end } of [booking, waiting, failing]) end()
  rmSync(home, { recursive: true, force: true })
})

const optionsAt = (endpoint, served) => claudeOptions(endpoint, home, served)

describeAdapter("an agent of Claude's Agent SDK", {
  file: 'claude',
  booking: (options) => fromClaude(query, { options: optionsAt(booking), tools, ...options }),
  waits: (wait, options) => fromClaude(query, { options: optionsAt(waiting, [tool('wait', 'Waits', {}, async (_args, { signal }) => wait(signal))]), ...options }),
  fails: (_reason, options) => fromClaude(query, { options: optionsAt(failing), ...options }),
  more: (open) => {
    it('keeps the hooks of the options', async (test) => {
      const world = open(test)
      const seen = []
      const hooks = { PreToolUse: [{ hooks: [async ({ tool_name: name }) => {
        seen.push(name)
        return {}
      }] }] }
      const eve = await world.agent('Eve', fromClaude(query, { options: { ...optionsAt(booking), hooks } }))
      await world.ask({ to: eve.id, text: 'A table for four, please' })
      assert.deepEqual(seen, ['mcp__seats__search', 'mcp__seats__book', 'mcp__seats__book'])
      assert.deepEqual((await journeysOf(world, eve)).map((steps) => steps.length), [5])
    })

    it('reports the error of a tool that a user calls', async (test) => {
      const world = open(test)
      const refuses = tool('refuse', 'Refuses', {}, async () => ({ ...text('we are closed'), isError: true }))
      const fay = await world.agent('Fay', fromClaude(query, { tools: [refuses] }))
      await assert.rejects(world.ask({ to: fay.id, tool: 'assist_refuse', args: {} }), /we are closed/u)
    })

    it('records its own runs as journeys', async (test) => {
      const world = open(test)
      const di = await world.agent('Di')
      const redact = (step) => (step.type === 'origin' ? { ...step, content: 'an order' } : step)
      const said = []
      for await (const { type, result } of query({ prompt: 'secret order', options: { ...optionsAt(booking), hooks: journeyHooks(di, { redact }) } })) if (type === 'result') said.push(result)
      assert.deepEqual(said, ['Booked for Saturday.'])
      const [steps] = await journeysOf(world, di)
      assert.deepEqual(steps.map(({ toolName, content }) => toolName ?? content), ['an order', 'mcp__seats__search', 'mcp__seats__book', 'mcp__seats__book', 'Booked for Saturday.'])
      assert.deepEqual(steps.map(({ result }) => result), [undefined, { free: 0 }, { error: 'no 4 seats on friday' }, 'booked 4 on saturday', undefined])
    })
  },
})
