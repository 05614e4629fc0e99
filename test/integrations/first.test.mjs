// The lines of the page about frameworks, added to the first example in each framework's own documentation.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { startHost } from './host.mjs'
import { startOpenAi } from './script_endpoint.mjs'

const here = import.meta.dirname
const examples = path.join(here, '../../examples')
const page = readFileSync(path.join(here, '../../docs/integrations.md'), 'utf8')
/** How many lines may be added. */
const most = 5

/** The frameworks: the section of the page, the number of lines in its table, and the names in its lines that differ in the example. */
const frameworks = {
  'langchain': { section: 'LangChain and LangGraph' },
  'langgraph': { section: 'LangChain and LangGraph', other: ['fromLangChain(agent)', 'fromLangChain(graph)'] },
  'ai': { section: 'Vercel AI SDK', other: ['fromAiSdk(agent)', 'fromAiSdk(weatherAgent)'], flags: [`--import=${pathToFileURL(path.join(here, 'first/provider.mjs')).href}`] },
  'openai-agents': { section: "OpenAI's Agents SDK" },
  'claude': { section: "Claude's Agent SDK", other: ['{ options }', "{ options: { allowedTools: ['Glob'] } }"] },
  'mcp': { section: 'Tools of an MCP server' },
}

/** The first lines of a section, with the imports separate. */
function added({ section, other: [from, to] = ['', ''] }) {
  const text = page.split(/^## /mu).find((part) => part.startsWith(`${section}\n`)) ?? ''
  const [, block = ''] = /^```js\n([^]*?)^```$/mu.exec(text) ?? []
  assert.ok(block.includes(from), `the lines have no ${from}`)
  const lines = block.replace(from, to).split('\n').filter((line) => line.trim() !== '')
  const [, counted] = new RegExp(`^\\| \\[[^\\]]+\\]\\(#${section.toLowerCase().replaceAll(/[^a-z0-9 -]/gu, '').replaceAll(' ', '-')}\\)[^|]*\\| (\\d+) \\|`, 'mu').exec(page) ?? []
  return { lines, counted: Number(counted), imports: lines.filter((line) => line.startsWith('import ')), rest: lines.filter((line) => !line.startsWith('import ')) }
}

describe('the first example of', () => {
  let host, openai, claude
  before(async () => {
    host = await startHost()
    openai = await startOpenAi({ turns: [{ words: ['hello ', 'world'] }] })
    claude = await startMessages({ turns: [{ words: ['hello ', 'world'] }] })
  })
  after(async () => {
    openai.end()
    claude.end()
    await host.end()
  })

  for (const [name, given] of Object.entries(frameworks)) {
    it(`${name} is on the map with at most ${most} more lines`, async (test) => {
      const { lines, counted, imports, rest } = added(given)
      assert.ok(lines.length <= most)
      assert.equal(lines.length, counted, 'the table has another number')
      const folder = path.join(here, 'node_modules', `.first-${name}`)
      mkdirSync(folder, { recursive: true })
      cpSync(path.join(examples, 'agent-mcp/server.mjs'), path.join(folder, 'server.mjs'))
      writeFileSync(path.join(folder, 'first.mjs'), [...imports, readFileSync(path.join(here, 'first', `${name}.mjs`), 'utf8'), ...rest, ''].join('\n'))
      const world = host.world()
      const { seq: from } = await (await world.client()).session()
      const child = spawn(process.execPath, [...(given.flags ?? []), 'first.mjs'], {
        cwd: folder, stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, ...host.env, DO_NOT_TRACK: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
          OPENAI_API_KEY: 'none', OPENAI_BASE_URL: openai.url, OPENAI_AGENTS_DISABLE_TRACING: '1', ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: claude.url, LANGSMITH_TRACING: 'false',
        },
      })
      let problems = ''
      child.stderr.on('data', (text) => { problems += String(text) })
      const ended = new Promise((resolve) => { child.on('close', resolve) })
      test.after(async () => {
        child.kill('SIGKILL')
        await ended
        rmSync(folder, { recursive: true, force: true })
        await world.close()
      })
      const appeared = (async () => {
        for await (const { data } of world.events({ kinds: ['world:player_added'], after: from })) return data.player.agentId
      })()
      const to = await Promise.race([appeared, ended.then(() => assert.fail(problems))])
      if (name === 'mcp') {
        assert.equal((await world.ask({ to, tool: 'assist_book', args: { day: 'friday', people: 2 } })).message, 'booked 2 on friday')
      } else {
        assert.equal((await world.ask({ to, text: 'Hello' })).message, 'hello world', problems)
      }
    })
  }
})
