import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { after, before, it } from 'node:test'
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import { fromClaude, journeyHooks } from '@playctl/sdk/claude'
import { book, describeAdapter, search, turns, waitingTurns } from './adapter.mjs'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { journeysOf } from './observed.mjs'

const text = (said) => ({ content: [{ type: 'text', text: said }] })
const tools = [
  tool('search', 'Finds free seats', { day: z.enum(['friday', 'saturday']), note: z.string().optional() }, async (args) => ({ ...text(JSON.stringify(search(args))), structuredContent: search(args) })),
  tool('book', 'Books a table', { people: z.number().int(), day: z.string() }, async (args) => text(book(args))),
]
/** The SDK puts the server's name before that of a tool. */
const scripted = (said) => startMessages({ turns: said.map((turn) => (turn.call === undefined ? turn : { call: { ...turn.call, name: `mcp__seats__${turn.call.name}` } })) })

const home = mkdtempSync(path.join(tmpdir(), 'playctl-claude-'))
let booking, waiting, failing
before(async () => { [booking, waiting, failing] = await Promise.all([scripted(turns), scripted(waitingTurns), startMessages({ refusal: 'a secret reason' })]) })
after(() => {
  for (const { end } of [booking, waiting, failing]) end()
  rmSync(home, { recursive: true, force: true })
})

/** The options of a query at an endpoint, with nothing of this machine's settings and nothing that reports to the vendor. */
const optionsAt = ({ url }, served = tools) => ({
  mcpServers: { seats: createSdkMcpServer({ name: 'seats', tools: served }) }, allowedTools: ['mcp__seats'], tools: [], settingSources: [], persistSession: false, cwd: home,
  env: {
    PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1',
  },
})

describeAdapter("an agent of Claude's Agent SDK", {
  file: 'claude',
  booking: (options) => fromClaude(query, { options: optionsAt(booking), tools, ...options }),
  waits: (wait, options) => fromClaude(query, { options: optionsAt(waiting, [tool('wait', 'Waits', {}, async (_args, { signal }) => wait(signal))]), ...options }),
  fails: (_reason, options) => fromClaude(query, { options: optionsAt(failing), ...options }),
  more: (open) => {
    it('keeps the hooks that the options have', async (test) => {
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

    it('says why a tool failed that somebody calls', async (test) => {
      const world = open(test)
      const refuses = tool('refuse', 'Refuses', {}, async () => ({ ...text('we are closed'), isError: true }))
      const fay = await world.agent('Fay', fromClaude(query, { tools: [refuses] }))
      await assert.rejects(world.ask({ to: fay.id, tool: 'assist_refuse', args: {} }), /we are closed/u)
    })

    it('records runs of its own as journeys', async (test) => {
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
