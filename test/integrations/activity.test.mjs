// What agents of each framework do, as the map shows it: parallel tools, a wait for an approval, a failure and an abort.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSdkMcpServer, query, tool as claudeTool } from '@anthropic-ai/claude-agent-sdk'
import { tool as langchainTool } from '@langchain/core/tools'
import { Command, MemorySaver } from '@langchain/langgraph'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { Agent, run, setTraceProcessors, setTracingDisabled, tool as openaiTool } from '@openai/agents'
import { fromAiSdk } from '@playctl/sdk/ai'
import { fromClaude } from '@playctl/sdk/claude'
import { fromLangChain } from '@playctl/sdk/langchain'
import { fromMcp } from '@playctl/sdk/mcp'
import { fromOpenAiAgents } from '@playctl/sdk/openai-agents'
import * as ai from 'ai'
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'
import { humanInTheLoopMiddleware } from 'langchain'
import { z } from 'zod'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { follow, listed, provedAtRevs, settled } from './activity.mjs'
import { startHost } from './host.mjs'
import { golden } from './observed.mjs'
import { scripted as scriptedAi } from './script_ai.mjs'
import { claudeOptions } from './script_claude.mjs'
import { agent as langchainAgent } from './script_langchain_agent.mjs'
import { scripted as scriptedOpenAi } from './script_openai.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false
setTraceProcessors([])
setTracingDisabled(true)

const parts = { Mock: MockLanguageModelV3, stream: convertArrayToReadableStream }
const home = mkdtempSync(path.join(tmpdir(), 'playctl-activity-'))
after(() => { rmSync(home, { recursive: true, force: true }) })

/** The tools of the agents, each as a framework has it. */
const makers = {
  ai: (run, options) => ai.tool({ description: 'A tool', inputSchema: z.object({}), ...options, execute: async (_args, { abortSignal }) => run(abortSignal) }),
  langchain: (run, { name }) => langchainTool(async (_args, { signal }) => run(signal), { name, description: 'A tool', schema: z.object({}) }),
  openai: (run, { name, ...options }) => openaiTool({ name, description: 'A tool', parameters: z.object({}), ...options, execute: async (_args, _context, { signal } = {}) => run(signal) }),
  claude: (run, { name }) => claudeTool(name, 'A tool', {}, async (_args, { signal }) => ({ content: [{ type: 'text', text: String(await run(signal)) }] }), { annotations: { readOnlyHint: true } }),
}

const turnOfCalls = (...names) => ({ calls: names.map((name) => ({ id: name, name, args: {} })) })
const said = { words: ['Done.'] }
/** A turn in which the model fails. */
const fails = (error, begun) => ({
  when: async () => {
    await begun()
    throw error
  },
})

/**
 * The scenarios of a framework: `made(name, turns, tools, options)` returns the program of an agent whose model follows turns and has
 * tools, `failing(reason, begun)` one whose model fails after `begun`, `approving(turns, decided)` one with the tool "pay", which needs an approval:
 * `decided` resolves when the person approves; `answer` is what the person says to that end, if the
 * agent is asked again, and `ends` is the state in the end.
 */
function describeFramework(title, { file, tools: maker, made, failing, approving, answer, ends = 'done' }) {
  describe(title, () => {
    let host, world, seen
    const agents = []
    before(async () => {
      host = await startHost()
      world = host.world()
      seen = await follow(world)
    })
    after(async () => {
      await world.close()
      await host.end()
    })
    /** Asks an agent whose run need not end well. */
    const ask = async (agent, text) => world.ask({ to: agent.id, text }).catch(() => undefined)
    const added = async (name, program) => {
      const agent = await world.agent(name, program)
      agents.push(agent)
      await seen.until(() => agent, ({ state }) => state === 'idle')
      return agent
    }

    it('shows the newest of the tools that run at the same time, and those that failed', async () => {
      let agent
      const runs = (name) => seen.until(() => agent, ({ toolName }) => toolName?.endsWith(name) === true)
      const turns = [
        { ...turnOfCalls('first', 'second'), when: async () => seen.until(() => agent, ({ state, toolName }) => state === 'working' && toolName === undefined) },
        { ...said, when: async () => seen.until(() => agent, ({ toolName, usage }) => toolName === undefined && usage.toolCalls === 2) },
      ]
      agent = await added('Ada', await made(turns, {
        first: maker(async () => {
          // The newest of those that are running, once the second has ended.
          await seen.until(() => agent, ({ toolName, usage }) => toolName?.endsWith('first') === true && usage.toolCalls === 1)
          throw new Error('a secret reason')
        }, { name: 'first' }),
        second: maker(async () => (await runs('second')).toolName, { name: 'second' }),
      }))
      await ask(agent, 'Do both')
      await seen.until(() => agent, ({ state }) => state === 'done')
    })

    it('waits for an approval', async () => {
      let agent
      const waits = async () => seen.until(() => agent, ({ state }) => state === 'waiting')
      const turns = [
        { ...turnOfCalls('pay'), when: async () => seen.until(() => agent, ({ state }) => state === 'working') },
        { ...said, when: async () => seen.until(() => agent, ({ state, toolName }) => state === 'working' && toolName === undefined) },
      ]
      agent = await added('Bo', await approving(turns, waits))
      await ask(agent, 'Pay')
      if (answer !== undefined) {
        await waits()
        await ask(agent, answer)
      }
      await seen.until(() => agent, ({ state }) => state === ends)
    })

    it('shows a failure by its type only', async () => {
      let agent
      agent = await added('Cy', await failing('a secret reason', async () => seen.until(() => agent, ({ state }) => state === 'working')))
      await ask(agent, 'Hello')
      await seen.until(() => agent, ({ state }) => state === 'failed')
    })

    it('shows that a run was aborted', async () => {
      const over = (signal) => new Promise((_resolve, reject) => { signal.addEventListener('abort', () => { reject(signal.reason) }) })
      let agent
      const begun = { ...turnOfCalls('wait'), when: async () => seen.until(() => agent, ({ state }) => state === 'working') }
      agent = await added('Di', await made([begun, said], { wait: maker(over, { name: 'wait' }) }))
      const asked = ask(agent, 'Wait')
      await seen.until(() => agent, ({ toolName }) => toolName?.endsWith('wait') === true)
      await seen.answerFor(agent)
      await asked
      await seen.until(() => agent, ({ state }) => state === 'failed')
    })

    it('shows the same afterwards: in the list, in the proved rows, to a stream that resumes, after a restart', async () => {
      const states = Object.fromEntries(agents.map((agent) => [agent.name, seen.of(agent)]))
      golden(`activity-${file}`, Object.fromEntries(Object.entries(states).map(([name, all]) => [name, settled(all)])))
      assert.doesNotMatch(JSON.stringify(states), /secret/u)
      const again = await follow(world)
      for (const agent of agents) {
        assert.deepEqual(await listed(world, agent), states[agent.name])
        assert.equal(await provedAtRevs(world, agent), states[agent.name].length)
        const last = states[agent.name].at(-1)
        await again.until(() => agent, (activity) => activity.state === last.state)
        assert.deepEqual(again.of(agent), states[agent.name])
      }
      await world.close()
      await host.restart()
      const restarted = host.world()
      for (const agent of agents) assert.deepEqual(await listed(restarted, agent), states[agent.name])
      await restarted.close()
    })
  })
}

describeFramework('an agent of the AI SDK', {
  file: 'ai', tools: makers.ai,
  made: (turns, tools) => fromAiSdk(new ai.ToolLoopAgent({ model: scriptedAi(parts, turns), tools, maxRetries: 0 })),
  failing: (reason, begun) => {
    const doStream = async () => {
      await begun()
      throw new TypeError(reason)
    }
    return fromAiSdk(new ai.ToolLoopAgent({ model: new MockLanguageModelV3({ doStream }), maxRetries: 0 }))
  },
  approving: (turns) => {
    const messages = []
    const tools = { pay: makers.ai(async () => 'paid', { needsApproval: true }) }
    return fromAiSdk(async ({ text }) => {
      const [request] = messages.at(-1)?.content?.filter?.(({ type }) => type === 'tool-approval-request') ?? []
      messages.push(request === undefined ? { role: 'user', content: text } : { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: request.approvalId, approved: text === 'Yes' }] })
      const result = ai.streamText({ model: scriptedAi(parts, turns), tools, messages, stopWhen: ai.stepCountIs(5) })
      result.response.then(({ messages: more }) => { messages.push(...more) })
      return result
    })
  },
  answer: 'Yes',
})

describeFramework('an agent of LangChain', {
  file: 'langchain', tools: makers.langchain,
  made: (turns, tools) => fromLangChain(langchainAgent(turns, Object.values(tools))),
  failing: (reason, begun) => fromLangChain(langchainAgent([fails(new RangeError(reason), begun)])),
  approving: (turns) => {
    const agent = langchainAgent(turns, [makers.langchain(async () => 'paid', { name: 'pay' })], { middleware: [humanInTheLoopMiddleware({ interruptOn: { pay: true } })], checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 'one' } }
    return fromLangChain({ stream: async (input, options) => agent.stream(input, { ...options, ...config }) }, {
      input: (text) => (text === 'Yes' ? new Command({ resume: { decisions: [{ type: 'approve' }] } }) : { messages: [{ role: 'user', content: text }] }),
    })
  },
  answer: 'Yes',
})

describeFramework("an agent of OpenAI's Agents SDK", {
  file: 'openai-agents', tools: makers.openai,
  made: (turns, tools) => fromOpenAiAgents(new Agent({ name: 'Ada', model: scriptedOpenAi(turns), tools: Object.values(tools) }), { run }),
  failing: (reason, begun) => fromOpenAiAgents(new Agent({ name: 'Cy', model: scriptedOpenAi([fails(new SyntaxError(reason), begun)]) }), { run }),
  approving: (turns) => fromOpenAiAgents(new Agent({ name: 'Bo', model: scriptedOpenAi(turns), tools: [makers.openai(async () => 'paid', { name: 'pay', needsApproval: true })] }), { run }),
  // Only its program could approve, and the run is over.
  ends: 'waiting',
})

describeFramework("an agent of Claude's Agent SDK", {
  file: 'claude', tools: makers.claude,
  made: async (turns, tools) => claude(turns, Object.values(tools)),
  failing: async (reason, begun) => fromClaude(query, { options: claudeOptions(await endpoint({ refusal: reason, when: begun }), home) }),
  approving: async (turns, decided) => claude(turns, [makers.claude(async () => 'paid', { name: 'pay' })], {
    allowedTools: [],
    canUseTool: async (_name, input) => {
      await decided()
      return { behavior: 'allow', updatedInput: input }
    },
  }),
})

/** An endpoint that is stopped with the tests. */
async function endpoint(script) {
  const started = await startMessages(script)
  after(() => { started.end() })
  return started
}

async function claude(turns, tools, more = {}) {
  const [first, second] = turns
  const calls = first.calls.map((call) => ({ ...call, name: `mcp__seats__${call.name}` }))
  // The first turn of the script may have several calls.
  const at = await endpoint({ turns: ({ messages }) => [JSON.stringify(messages).includes('tool_use') ? second : { ...first, calls }] })
  const options = claudeOptions(at, home)
  return fromClaude(query, { options: { ...options, mcpServers: { seats: createSdkMcpServer({ name: 'seats', tools }) }, ...more } })
}

describe('the tools of an MCP server', () => {
  it('show which of them runs', async (test) => {
    const host = await startHost()
    const world = host.world()
    test.after(async () => {
      await world.close()
      await host.end()
    })
    const seen = await follow(world)
    const server = new McpServer({ name: 'seats', version: '1' })
    let agent
    const runs = async () => seen.until(() => agent, ({ toolName }) => toolName !== undefined)
    server.registerTool('search', { description: 'Searches', inputSchema: {} }, async () => ({ content: [{ type: 'text', text: (await runs()).toolName }] }))
    server.registerTool('refuse', { description: 'Refuses', inputSchema: {} }, async () => ({ isError: true, content: [{ type: 'text', text: (await runs()).toolName }] }))
    const [here, there] = InMemoryTransport.createLinkedPair()
    const client = new Client({ name: 'test', version: '1' })
    await Promise.all([server.connect(there), client.connect(here)])
    agent = await world.agent('Ada', await fromMcp(client))
    for (const name of ['search', 'refuse']) {
      await world.ask({ to: agent.id, tool: `assist_${name}`, args: {} }).catch(() => undefined)
      await seen.until(() => agent, ({ state }) => state === (name === 'search' ? 'done' : 'failed'))
    }
    // A call that begins within a second of the last state is shown with its tool from the beginning.
    golden('activity-mcp', settled(seen.of(agent)).filter(({ state, toolName }) => state !== 'working' || toolName !== undefined))
  })
})

