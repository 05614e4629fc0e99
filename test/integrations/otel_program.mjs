// Programs that report spans, as their authors would write them: node otel_program.mjs NAME. Where the spans go is said by the environment.
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

  /** An agent of LangChain with the instrumentation of OpenInference. */
  async langchain() {
    const { LangChainInstrumentation } = await import('@arizeai/openinference-instrumentation-langchain')
    const manager = await import('@langchain/core/callbacks/manager')
    new LangChainInstrumentation().manuallyInstrument(manager)
    const { agent, tools } = await import('./script_langchain.mjs')
    await agent(turns, tools, { name: 'Ada' }).invoke({ messages: [{ role: 'user', content: 'A table for four, please' }] })
  },
}

await programs[process.argv[2]]()
await sdk.shutdown()
