// An agent of Claude's Agent SDK that books tables. With ANTHROPIC_API_KEY set Claude answers, else a script does.
import { once } from 'node:events'
import process from 'node:process'
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import { connect } from '@playctl/sdk'
import { fromClaude } from '@playctl/sdk/claude'
import { startMessages } from './scripted.mjs'

const book = tool('book', 'Books a table', { day: z.enum(['friday', 'saturday']), people: z.number().int().min(1) },
  async ({ day, people }) => ({ content: [{ type: 'text', text: `booked ${people} on ${day}` }] }))
const turns = [{ call: { id: 'c1', name: 'mcp__tables__book', args: { day: 'saturday', people: 4 } } }, { words: ['Booked ', 'for ', 'Saturday.'] }]
const model = process.env.ANTHROPIC_API_KEY === undefined ? { ANTHROPIC_BASE_URL: (await startMessages({ turns })).url, ANTHROPIC_API_KEY: 'none' } : {}
const options = {
  systemPrompt: 'You book tables of a restaurant. Answer in one sentence.',
  // Claude has this tool and none of its own: anybody in the world writes its prompts.
  mcpServers: { tables: createSdkMcpServer({ name: 'tables', tools: [book] }) }, allowedTools: ['mcp__tables'], tools: [], settingSources: [],
  env: { ...process.env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...model },
}

const world = await connect()
await world.agent('Ada', fromClaude(query, { options, tools: [book] }))

console.log('Ada is on the map: Ctrl-C removes it')
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
await world.close()
