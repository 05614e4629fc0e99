// The code blocks on the pages about TypeScript, checked against the types of the package and of the real libraries.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { describe, it } from 'node:test'

const here = import.meta.dirname
const web = path.join(here, '../../web/node_modules')
const ts = createRequire(path.join(web, 'typescript'))('typescript')

/** The sections of a page with their TypeScript and JavaScript blocks; those of a section form one program. */
function programs(page) {
  const text = readFileSync(path.join(here, '../../docs', page), 'utf8')
  return new Map(text.split(/^## /mu).slice(1).flatMap((section) => {
    const blocks = Array.from(section.matchAll(/^```[jt]s\n([^]*?)^```$/gmu), ([, block]) => block)
    return blocks.length === 0 ? [] : [[section.slice(0, section.indexOf('\n')), blocks.join('\n')]]
  }))
}

/**
 * The missing parts of the programs of a page's sections: the declarations before them, and the code after them, which
 * the text beside the blocks describes. If there are several, a section must work with each.
 */
const pages = {
  'integrations.md': {
    'LangChain and LangGraph': [[
      "import { createAgent } from 'langchain'\nimport { journeyCallbacks } from '@playctl/sdk/langchain'\ndeclare const agent: ReturnType<typeof createAgent>",
      "const ada = await world.agent('Bo')\nawait agent.invoke({ messages: [] }, { callbacks: [journeyCallbacks(ada, { redact: (step) => step })] })",
    ], [
      "import { StateGraph, MessagesAnnotation } from '@langchain/langgraph'\nconst agent = new StateGraph(MessagesAnnotation).addNode('model', () => ({})).addEdge('__start__', 'model').compile()",
    ]],
    'Vercel AI SDK': ['ai', 'ai-7'].map((ai) => [
      `import { ToolLoopAgent, streamText, generateText, stepCountIs, tool, type LanguageModel } from '${ai}'\nimport { recordRun } from '@playctl/sdk/ai'\nimport { z } from 'zod'
      declare const model: LanguageModel\nconst prompt = ''\nconst tools = { book: tool({ description: '', inputSchema: z.object({ day: z.string() }), execute: async ({ day }) => day }) }
      const agent = new ToolLoopAgent({ model, tools })`,
      `fromAiSdk(({ text, signal }) => streamText({ model, tools, prompt: text, abortSignal: signal }))\nfromAiSdk(({ text }) => generateText({ model, tools, prompt: text, stopWhen: stepCountIs(2) }), { tools })
      const ada = await world.agent('Bo')\nconst { text } = await recordRun(ada, prompt, agent.generate({ prompt }), { redact: (step) => step })\ntext.trim()`,
    ]),
    "OpenAI's Agents SDK": [[
      "import { Agent, Runner, addTraceProcessor, run, setTraceProcessors, tool } from '@openai/agents'\nimport { journeyProcessor } from '@playctl/sdk/openai-agents'\nimport { z } from 'zod'\nconst agent = new Agent({ name: 'Ada', tools: [tool({ name: 'book', description: '', parameters: z.object({ day: z.string() }), execute: async ({ day }) => day })] })",
      "const runner = new Runner()\nconst ada = await world.agent('Bo', fromOpenAiAgents(agent, { run: (...given) => runner.run(...given) }))\naddTraceProcessor(journeyProcessor(ada, { redact: (step) => step }))\nsetTraceProcessors([journeyProcessor(ada)])",
    ]],
    "Claude's Agent SDK": [[
      "import { query, tool, type Options } from '@anthropic-ai/claude-agent-sdk'\nimport { journeyHooks } from '@playctl/sdk/claude'\nimport { z } from 'zod'\ndeclare const options: Options\nconst prompt = ''\nconst book = tool('book', '', { day: z.string() }, async ({ day }) => ({ content: [{ type: 'text', text: day }] }))",
      "fromClaude(query, { options, tools: [book] })\nconst ada = await world.agent('Bo')\nquery({ prompt, options: { hooks: journeyHooks(ada, { redact: (step) => step }) } })",
    ]],
    'Tools of an MCP server': ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/client'].map((module) => [
      `import type { Client } from '${module}'\nimport { mcpTools, placeMcp } from '@playctl/sdk/mcp'\ndeclare const client: Client`,
      "await world.agent('Bo', { chat: ({ text }) => text, tools: await mcpTools(client) })",
    ]),
    'Without a framework': [['declare function answer(text: string): Promise<string>']],
  },
  'typescript.md': {
    'An agent': [['declare function model(text: string, signal: AbortSignal): AsyncIterable<string>\ndeclare function book(people: number, day: string): Promise<number>']],
    'An account at a host': [["import { RemotePlayWorld, frameworkRegistration } from '@playctl/sdk'\ndeclare const apiKey: string, nodeId: string, phrase: string, credentials: { nodeId: string; phrase: string }"]],
    'What an agent does now': [["import type { Agent } from '@playctl/sdk'\ndeclare const ada: Agent"]],
    'Answer what people ask': [["import { type Agent, type RemotePlayWorld, ToolError } from '@playctl/sdk'\ndeclare const world: RemotePlayWorld, ada: Agent\ndeclare function show(text: string | undefined): void", 'answer.result']],
  },
}

const options = {
  strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2023.d.ts', 'lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'], typeRoots: [path.join(web, '@types')], types: ['node'],
}

/** The errors in programs, whose texts are given by their names. */
function problemsOf(texts) {
  // Packages are looked up first in the folder named by LOWEST.
  const files = new Map(Array.from(texts, ([name, text]) => [path.join(here, process.env.LOWEST ?? '', name), text]))
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, getSourceFile } = host
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.getSourceFile = (name, ...rest) => (files.has(name) ? ts.createSourceFile(name, files.get(name), ...rest) : getSourceFile.call(host, name, ...rest))
  const program = ts.createProgram([...files.keys()], options, host)
  return [...program.getOptionsDiagnostics(), ...[...files.keys()].flatMap((name) => {
    const file = program.getSourceFile(name)
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  })].map(({ file, start, messageText }) => `${file === undefined ? '' : `${path.basename(file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}`} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
}

describe('the code on the pages', () => {
  for (const [page, sections] of Object.entries(pages)) {
    it(`${page} has valid types`, () => {
      const found = programs(page)
      assert.deepEqual([...found.keys()].sort(), Object.keys(sections).sort())
      const texts = [...found].flatMap(([title, program], place) => sections[title].map(([before, after = ''], turn) => [`${page}-${place}-${turn}.mts`, `${before}\n${program}\n${after}\nexport {}\n`]))
      assert.deepEqual(problemsOf(texts), [])
    })
  }
})
