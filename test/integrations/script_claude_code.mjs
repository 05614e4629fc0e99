// Claude Code with a scripted model: a shell command, a read that fails, and a subagent with a shell command of its own.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'

const shell = (id, text) => ({ call: { id, name: 'Bash', args: { command: `echo ${text}`, description: 'Say a word' } } })

/** What the subagent is asked, by which its conversation is known. */
const task = 'Say a word in the shell'

/** What the model says in a conversation. */
function turns({ messages, tools = [] }) {
  if (tools.length === 0) return [{ words: ['A title'] }]
  if (JSON.stringify(messages[0]).includes(task)) return [shell('c4', 'below'), { words: ['Said.'] }]
  const subagent = tools.some(({ name }) => name === 'Task') ? 'Task' : 'Agent' // its name before and since version 2.1.63
  return [
    shell('c1', 'hello'), { call: { id: 'c2', name: 'Read', args: { file_path: '/nowhere/none.txt' } } },
    { call: { id: 'c3', name: subagent, args: { description: 'a helper', prompt: task, subagent_type: 'general-purpose' } } },
    { words: ['All ', 'done.'] },
  ]
}

/** Runs Claude Code in an empty home, with the settings that docs/otel.md names and without reports to its vendor. */
export async function runClaudeCode(endpoint, settings) {
  const model = await startMessages({ turns })
  const home = mkdtempSync(path.join(tmpdir(), 'playctl-claude-code-'))
  try {
    await promisify(execFile)(path.join(import.meta.dirname, 'node_modules/.bin/claude'), ['-p', 'Say hello', '--dangerously-skip-permissions'], {
      cwd: home,
      env: {
        PATH: process.env.PATH, HOME: home, IS_SANDBOX: '1', ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'none', CLAUDE_CODE_MAX_RETRIES: '0',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1', DO_NOT_TRACK: '1',
        CLAUDE_CODE_ENABLE_TELEMETRY: '1', CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1', OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: 'Ada', ...settings,
      },
    })
  } finally {
    model.end()
    rmSync(home, { recursive: true, force: true })
  }
}
