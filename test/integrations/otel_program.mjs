// Programs that report spans, as their authors would write them: node otel_program.mjs NAME. The environment names the receiver of the spans.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { book, search, turns } from './script.mjs'

const sdk = new NodeSDK()
sdk.start()

const programs = {
  /** The conventions for generative AI, written by hand. */
  async spans() {
    const tracer = trace.getTracer('shop')
    const within = (parent, name, attributes, run) => {
      const span = tracer.startSpan(name, { attributes }, trace.setSpan(context.active(), parent))
      try {
        run?.()
      } catch (error) {
        span.recordException(error)
        span.setStatus({ code: SpanStatusCode.ERROR, message: error.message })
        span.setAttribute('error.type', 'full')
      }
      span.end()
    }
    const run = tracer.startSpan('invoke_agent Ada', { attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'Ada' } })
    for (const { call } of turns) {
      within(run, 'chat scripted', { 'gen_ai.operation.name': 'chat' })
      if (call === undefined) continue
      const { name, args } = call
      const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.call.arguments': JSON.stringify(args) }
      within(run, `execute_tool ${name}`, attributes, () => (name === 'search' ? search(args) : book(args)))
    }
    run.end()
  },

  /** An agent of the Vercel AI SDK with its telemetry on. */
  async ai() {
    const { scripted, toolsOf } = await import('./script_ai.mjs')
    const ai = await import('ai')
    const parts = await import('ai/test')
    const model = scripted({ Mock: parts.MockLanguageModelV3, stream: parts.convertArrayToReadableStream }, turns)
    const agent = new ai.ToolLoopAgent({ model, tools: toolsOf(ai), experimental_telemetry: { isEnabled: true, functionId: 'Ada' } })
    await agent.generate({ prompt: 'A table for four, please' })
  },

  /** An agent of the Vercel AI SDK 7, whose telemetry is a package of its own. */
  async ai7() {
    const { scripted, toolsOf } = await import('./script_ai.mjs')
    const { OpenTelemetry } = await import('@ai-sdk/otel')
    const ai = await import('ai-7')
    const parts = await import('ai-7/test')
    ai.registerTelemetry(new OpenTelemetry())
    const model = scripted({ Mock: parts.MockLanguageModelV4, stream: parts.convertArrayToReadableStream }, turns)
    const agent = new ai.ToolLoopAgent({ id: 'ada', model, tools: toolsOf(ai), telemetry: { functionId: 'Ada' } })
    await agent.generate({ prompt: 'A table for four, please' })
  },

  /** An agent of OpenAI's Agents SDK with the instrumentation of OpenInference. */
  async 'openai-agents'() {
    const { OpenAIAgentsInstrumentation } = await import('@arizeai/openinference-instrumentation-openai-agents')
    const agents = await import('@openai/agents')
    const { made, scripted, strict } = await import('./script_openai.mjs')
    agents.setTracingDisabled(false)
    new OpenAIAgentsInstrumentation().manuallyInstrument(agents)
    await agents.run(made(scripted(strict(turns))), 'A table for four, please')
    await agents.getGlobalTraceProvider().forceFlush()
  },

  /** An agent of Claude's Agent SDK with the instrumentation of OpenInference. */
  async claude() {
    const { ClaudeAgentSDKInstrumentation } = await import('@arizeai/openinference-instrumentation-claude-agent-sdk')
    const sdk = await import('@anthropic-ai/claude-agent-sdk')
    const { query } = new ClaudeAgentSDKInstrumentation().manuallyInstrument(sdk)
    await claude(query)
  },

  /** Claude's native program with its own telemetry. */
  async 'claude-code'() {
    const { query } = await import('@anthropic-ai/claude-agent-sdk')
    const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL } = process.env // the program gets no others
    await claude(query, {
      CLAUDE_CODE_ENABLE_TELEMETRY: '1', CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1', OTEL_TRACES_EXPORTER: 'otlp', OTEL_SERVICE_NAME: 'Ada',
      OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_LOG_USER_PROMPTS: '1', OTEL_LOG_TOOL_DETAILS: '1', OTEL_LOG_TOOL_CONTENT: '1', OTEL_LOG_ASSISTANT_RESPONSES: '1',
      ENABLE_BETA_TRACING_DETAILED: '1', BETA_TRACING_ENDPOINT: OTEL_EXPORTER_OTLP_ENDPOINT,
    })
  },

  /** An agent of LangChain with the instrumentation of OpenInference. */
  async langchain() {
    const { LangChainInstrumentation } = await import('@arizeai/openinference-instrumentation-langchain')
    const manager = await import('@langchain/core/callbacks/manager')
    new LangChainInstrumentation().manuallyInstrument(manager)
    const { tools } = await import('./script_langchain.mjs')
    const { agent } = await import('./script_langchain_agent.mjs')
    await agent(turns, tools, { name: 'Ada' }).invoke({ messages: [{ role: 'user', content: 'A table for four, please' }] })
  },
}

/** Asks Claude at a scripted endpoint. */
async function claude(query, env = {}) {
  const { claudeOptions, scriptedClaude } = await import('./script_claude.mjs')
  const endpoint = await scriptedClaude(turns)
  const home = mkdtempSync(path.join(tmpdir(), 'playctl-claude-'))
  const options = claudeOptions(endpoint, home)
  for await (const { type, is_error: failed, result } of query({ prompt: 'A table for four, please', options: { ...options, env: { ...options.env, ...env } } })) {
    if (type === 'result' && failed) throw new Error(result)
  }
  endpoint.end()
  rmSync(home, { recursive: true, force: true })
}

await programs[process.argv[2]]()
await sdk.shutdown()
