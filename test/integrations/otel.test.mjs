// The result of "playctl otel" for the spans of real exporters, written by hand and by frameworks.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import process from 'node:process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startKnownHost } from './host.mjs'
import { golden } from './observed.mjs'
import { runClaudeCode } from './script_claude_code.mjs'

const folder = import.meta.dirname

/** The version of Node for programs that require a newer one. */
const nodes = { ai7: process.env.NODE22 }

/** Runs a program that reports to an address. */
async function report(program, protocol, endpoint) {
  await promisify(execFile)(nodes[program] ?? process.execPath, [path.join(folder, 'otel_program.mjs'), program], {
    env: {
      PATH: process.env.PATH, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol, OTEL_SERVICE_NAME: 'shop', OTEL_EXPORTER_OTLP_INSECURE: 'true',
      // The recording contains nothing that identifies the machine.
      OTEL_NODE_RESOURCE_DETECTORS: 'env', OTEL_LOGS_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none',
      DO_NOT_TRACK: '1', LANGCHAIN_TRACING_V2: 'false', LANGSMITH_TRACING: 'false',
    },
  })
}

/** Starts a receiver, and returns its address and a function that stops it after everything received is recorded. */
async function receive(host, ...flags) {
  const child = spawn(process.env.PLAYCTL, ['otel', '--http', '127.0.0.1:0', '--grpc', '127.0.0.1:0', '--settle', '1h', '--wait', '2h', '--output', 'json', ...flags], {
    env: host.env, stdio: ['ignore', 'pipe', 'pipe'],
  })
  let problems = ''
  child.stderr.on('data', (text) => { problems += String(text) })
  const exited = once(child, 'exit')
  let banner = ''
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    banner += String(text)
    if (banner.trimEnd().endsWith('}')) break
  }
  child.stdout.resume()
  assert.notEqual(banner, '', problems)
  return {
    ...JSON.parse(banner),
    async end() {
      child.kill('SIGINT')
      const [code] = await exited
      assert.equal(code, 130, problems)
    },
  }
}

/** The journeys and lines of a host, without ids and times. */
async function recorded(host) {
  const world = host.world()
  const client = await world.client()
  const { journeys } = await client.listJourneys({})
  const { interactions } = await client.listInteractions({})
  await world.close()
  return {
    journeys: journeys.map(({ journey }) => journey.steps.map(({ type, content, toolName, args, result }) => JSON.parse(JSON.stringify({ type, content, toolName, args, result })))),
    lines: interactions.map(({ role, text }) => ({ role, text })),
  }
}

/** Writes a program's requests as a fixture of the Go tests. */
async function keep(program) {
  const requests = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (text) => { body += String(text) })
    request.on('end', () => {
      if (request.url === '/v1/traces') requests.push(JSON.parse(body)) // some report logs as well
      response.setHeader('Content-Type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await report(program, 'http/json', `http://127.0.0.1:${server.address().port}`)
  server.close()
  const resourceSpans = requests.flatMap((request) => request.resourceSpans)
  // Attributes that identify the machine or its user are removed.
  for (const { resource, scopeSpans } of resourceSpans) {
    resource.attributes = resource.attributes.filter(({ key }) => key === 'service.name')
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) span.attributes = span.attributes.filter(({ key }) => key !== 'user.id' && key !== 'system_reminders')
  }
  // Stack traces name files of the machine.
  const text = JSON.stringify({ resourceSpans }, null, 1).replaceAll(folder, '/app')
  writeFileSync(path.join(folder, '../../internal/otel/testdata', `${program}.json`), `${text}\n`)
}

describe('playctl otel', () => {
  let host
  before(async () => { host = await startKnownHost() })
  after(async () => { await host.end() })

  it('accepts spans over HTTP in both encodings and over gRPC', async () => {
    const receiver = await receive(host)
    await report('spans', 'http/json', receiver.http)
    await report('spans', 'http/protobuf', receiver.http)
    await report('spans', 'grpc', receiver.grpc.replace(/^(?!http)/u, 'http://'))
    await receiver.end()
    const { journeys, lines } = await recorded(host)
    assert.equal(journeys.length, 3)
    golden('otel', journeys[0])
    assert.deepEqual(journeys[1], journeys[0])
    assert.deepEqual(journeys[2], journeys[0])
    assert.deepEqual(lines, [])
  })
})

const frameworks = {
  ai: 'the AI SDK 6', ai7: 'the AI SDK 7', claude: "Claude's Agent SDK through OpenInference", 'claude-code': 'Claude Code',
  langchain: 'LangChain through OpenInference', 'openai-agents': "OpenAI's Agents SDK through OpenInference",
}
for (const [program, framework] of Object.entries(frameworks)) {
  describe(`playctl otel with the spans of ${framework}`, () => {
    let host
    before(async () => { host = await startKnownHost() })
    after(async () => { await host.end() })

    it('shows an agent with its journey, and texts only on request', async () => {
      if (process.env.UPDATE !== undefined) await keep(program)
      for (const flags of [[], ['--content']]) {
        const receiver = await receive(host, ...flags)
        await report(program, 'http/protobuf', receiver.http)
        await receiver.end()
      }
      golden(`otel-${program}`, await recorded(host))
    })
  })
}

/** The names of the account's agents. */
async function agents(host) {
  const { stdout } = await promisify(execFile)(process.env.PLAYCTL, ['list-agent-nodes', '--jq', '[.agents[] | .label] | sort'], { env: host.env })
  return JSON.parse(stdout)
}

describe('playctl otel with Claude Code 2.1.197', () => {
  let host
  before(async () => { host = await startKnownHost() })
  after(async () => { await host.end() })

  it('shows the agent and its subagent, each with its tool calls', async () => {
    const receiver = await receive(host)
    await runClaudeCode(receiver.http)
    await receiver.end()
    golden('otel-claude-code-subagent', await recorded(host))
    assert.deepEqual(await agents(host), ['Ada', 'Ada subagent'])
  })

  it('shows commands, results and the type of the subagent on request', async () => {
    const receiver = await receive(host, '--content')
    await runClaudeCode(receiver.http, { OTEL_LOG_USER_PROMPTS: '1', OTEL_LOG_TOOL_DETAILS: '1', OTEL_LOG_TOOL_CONTENT: '1' })
    await receiver.end()
    assert.deepEqual(await agents(host), ['Ada', 'Ada subagent', 'general-purpose'])
    const { journeys, lines } = await recorded(host)
    assert.deepEqual(lines, [{ role: 'user', text: 'Say hello' }])
    const shell = { type: 'structure', toolName: 'Bash' }
    const steps = journeys.flat().filter(({ result, toolName }) => toolName === 'Bash' && result !== undefined)
    assert.deepEqual(new Set(steps), new Set([{ ...shell, args: { command: 'echo hello' }, result: 'hello' }, { ...shell, args: { command: 'echo below' }, result: 'below' }]))
  })
})
