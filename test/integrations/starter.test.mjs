// Agents of each framework that start others: the others' rows name their parent.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSdkMcpServer, query, tool as claudeTool } from '@anthropic-ai/claude-agent-sdk'
import { tool as langchainTool } from '@langchain/core/tools'
import { Agent, run, setTraceProcessors, setTracingDisabled } from '@openai/agents'
import { fromAiSdk, recordRun } from '@playctl/sdk/ai'
import { fromClaude, journeyHooks } from '@playctl/sdk/claude'
import { fromLangChain, journeyCallbacks } from '@playctl/sdk/langchain'
import { fromOpenAiAgents } from '@playctl/sdk/openai-agents'
import * as ai from 'ai'
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'
import { z } from 'zod'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { startHost } from './host.mjs'
import { scripted as scriptedAi } from './script_ai.mjs'
import { claudeOptions } from './script_claude.mjs'
import { agent as langchainAgent } from './script_langchain_agent.mjs'
import { scripted as scriptedOpenAi } from './script_openai.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false
setTraceProcessors([])
setTracingDisabled(true)

const parts = { Mock: MockLanguageModelV3, stream: convertArrayToReadableStream }
const said = { words: ['Done.'] }
/** The turns of a model that calls a tool first. */
const calls = (name, args = {}) => [{ call: { id: 'c1', name, args } }, said]

describe('an agent that another one starts', () => {
  let host, world
  before(async () => {
    host = await startHost()
    world = host.world()
  })
  after(async () => {
    await world.close()
    await host.end()
  })
  /** Asks an agent, and requires that the row of another one names it as its parent afterward. */
  const starts = async (parent, child, { before: earlier = [] } = {}) => {
    for (const agent of earlier) await world.ask({ to: agent.id, text: 'Go' })
    const named = (snapshot) => snapshot.worldMap.occupants.find(({ agentId }) => agentId === child.id)?.parentId
    assert.equal(named(await world.getWorldSnapshot()), undefined)
    let shown
    const parented = new Promise((resolve) => { shown = resolve })
    const following = await world.subscribeWorldState({ onSnapshot: ({ snapshot }) => { if (named(snapshot) !== undefined) shown(named(snapshot)) } })
    await world.ask({ to: parent.id, text: 'Go' })
    assert.equal(await parented, parent.id)
    await following.close()
  }

  it("has it as its parent: a tool of an agent of OpenAI's Agents SDK", async () => {
    const inner = new Agent({ name: 'Bo', model: scriptedOpenAi([said]) })
    const outer = new Agent({ name: 'Ada', model: scriptedOpenAi(calls('bo', { input: 'Go' })), tools: [inner.asTool({ toolName: 'bo' })] })
    const bo = await world.agent('Bo', fromOpenAiAgents(inner, { run }))
    await starts(await world.agent('Ada', fromOpenAiAgents(outer, { run })), bo, { before: [bo] })
  })

  it("has it as its parent: a hand-off of an agent of OpenAI's Agents SDK", async () => {
    const inner = new Agent({ name: 'Dee', model: scriptedOpenAi([said]) })
    const outer = new Agent({ name: 'Cy', model: scriptedOpenAi(calls('transfer_to_Dee')), handoffs: [inner] })
    await starts(await world.agent('Cy', fromOpenAiAgents(outer, { run })), await world.agent('Dee', fromOpenAiAgents(inner, { run })))
  })

  it('has it as its parent: a recorded run in a tool of the AI SDK', async () => {
    const inner = new ai.ToolLoopAgent({ model: scriptedAi(parts, [said]) })
    const fay = await world.agent('Fay', fromAiSdk(inner))
    const tools = { fay: ai.tool({ description: 'Asks Fay', inputSchema: z.object({}), execute: async () => (await recordRun(fay, 'Go', inner.generate({ prompt: 'Go' }))).text }) }
    await starts(await world.agent('Eve', fromAiSdk(new ai.ToolLoopAgent({ model: scriptedAi(parts, calls('fay')), tools }))), fay, { before: [fay] })
  })

  it('has it as its parent: a recorded run in a tool of LangChain, which has a journey of its own', async () => {
    const inner = langchainAgent([said], [])
    const hal = await world.agent('Hal', fromLangChain(inner))
    const asks = langchainTool(async () => (await inner.invoke({ messages: [{ role: 'user', content: 'Go' }] }, { callbacks: [journeyCallbacks(hal)] })).messages.at(-1).content, { name: 'hal', description: 'Asks Hal', schema: z.object({}) })
    await starts(await world.agent('Gus', fromLangChain(langchainAgent(calls('hal'), [asks]))), hal)
    const { journeys } = await (await world.client()).listJourneys({ playerId: hal.id })
    assert.deepEqual(journeys.map(({ journey }) => journey.steps.map(({ content }) => content)), [['Go', 'Done.']])
  })

  it("has it as its parent: a query with hooks in a tool of Claude's Agent SDK", async (test) => {
    const home = mkdtempSync(path.join(tmpdir(), 'playctl-starter-'))
    test.after(() => { rmSync(home, { recursive: true, force: true }) })
    const options = async (turns) => {
      const at = await startMessages({ turns })
      test.after(() => { at.end() })
      return claudeOptions(at, home)
    }
    const jo = await world.agent('Jo')
    const inner = await options([said])
    const asks = claudeTool('jo', 'Asks Jo', {}, async () => {
      let last
      for await (const message of query({ prompt: 'Go', options: { ...inner, hooks: journeyHooks(jo) } })) last = message
      return { content: [{ type: 'text', text: last.result }] }
    })
    const outer = { ...await options(calls('mcp__seats__jo')), mcpServers: { seats: createSdkMcpServer({ name: 'seats', tools: [asks] }) } }
    await starts(await world.agent('Ivy', fromClaude(query, { options: outer })), jo)
  })
})
