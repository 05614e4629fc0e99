// A scripted endpoint and tools for agents of Claude's Agent SDK.
import process from 'node:process'
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { book, search } from './script.mjs'

/** The result of a tool. */
export const text = (said) => ({ content: [{ type: 'text', text: said }] })

/** The tools that it calls. */
export const tools = [
  tool('search', 'Finds free seats', { day: z.enum(['friday', 'saturday']), note: z.string().optional() }, async (args) => ({ ...text(JSON.stringify(search(args))), structuredContent: search(args) })),
  tool('book', 'Books a table', { people: z.number().int(), day: z.string() }, async (args) => text(book(args))),
]

/** An endpoint that follows a script. The SDK puts the server's name before that of a tool. */
export const scriptedClaude = (said) => startMessages({ turns: said.map((turn) => (turn.call === undefined ? turn : { call: { ...turn.call, name: `mcp__seats__${turn.call.name}` } })) })

/** The options of a query at an endpoint, without this machine's settings and without reports to the vendor. */
export const claudeOptions = ({ url }, home, served = tools) => ({
  mcpServers: { seats: createSdkMcpServer({ name: 'seats', tools: served }) }, allowedTools: ['mcp__seats'], tools: [], settingSources: [], persistSession: false, cwd: home,
  env: {
    PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1',
  },
})
