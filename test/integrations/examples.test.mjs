// The examples of the adapters, run as by a person without a model's API key.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startHost } from './host.mjs'
import { startMessages } from '../../examples/agent-claude/scripted.mjs'
import { journeysOf } from './observed.mjs'
import { startGateway, startOpenAi } from './script_endpoint.mjs'

const examples = path.join(import.meta.dirname, '../../examples')
/** Their folders, the agent of each and the name under which its model calls the tool; an example without a model does not chat. */
const agents = { 'agent-ai': ['Ada', 'book'], 'agent-claude': ['Ada', 'mcp__tables__book'], 'agent-langchain': ['Ada', 'book'], 'agent-mcp': ['Tables'], 'agent-openai': ['Ada', 'book'] }

/** Waits until an agent with a name is on the map, and returns its id. */
async function arrived(world, name) {
  for await (const { data } of world.events({ kinds: ['world:player_added'], after: 0 })) if (data.player.name === name) return data.player.agentId
}

const packageOf = (name) => {
  const file = path.join(import.meta.dirname, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** The versions of Node that the packages of an example and their dependencies accept. */
function neededBy(example) {
  const { dependencies: direct } = JSON.parse(readFileSync(path.join(examples, example, 'package.json'), 'utf8'))
  const names = Object.keys(direct).flatMap((name) => [name, ...Object.keys(packageOf(name).dependencies ?? {})])
  return [...new Set(names)].map((name) => [name, packageOf(name).engines?.node]).filter(([, engine]) => engine !== undefined)
}

/** Reports whether a version of Node is at least the lowest one that a package accepts, such as that of ">=20.19". */
function takes(engine, version) {
  const [[major, minor = 0], [least, of = 0]] = [version, /\d+(?:\.\d+)?/u.exec(engine)?.[0] ?? '0'].map((text) => text.split('.').map(Number))
  return major > least || (major === least && minor >= of)
}

describe('the examples of the adapters', () => {
  for (const [name, [agent, tool]] of Object.entries(agents)) {
    it(`${name} runs with a script`, async (test) => {
      const host = await startHost()
      const world = host.world()
      // In a folder in which the packages installed by the tests are found.
      const folder = path.join(import.meta.dirname, 'node_modules', `.${name}`)
      cpSync(path.join(examples, name), folder, { recursive: true })
      const child = spawn(process.execPath, ['agent.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: host.folder, ...host.env } })
      let said = '', problems = ''
      child.stdout.on('data', (text) => { said += String(text) })
      child.stderr.on('data', (text) => { problems += String(text) })
      const ended = new Promise((resolve) => { child.on('close', resolve) })
      test.after(async () => {
        child.kill('SIGKILL')
        await ended
        rmSync(folder, { recursive: true, force: true })
        await world.close()
        await host.end()
      })
      const to = await Promise.race([arrived(world, agent), ended.then(() => assert.fail(problems))])
      const { message } = await world.ask({ to, tool: 'assist_book', args: { day: 'friday', people: 2 } })
      assert.equal(message, 'booked 2 on friday')
      await assert.rejects(world.ask({ to, tool: 'assist_book', args: { day: 'monday', people: 2 } }), /do not match the tool's parameters: day: /u)
      if (tool !== undefined) {
        assert.equal((await world.ask({ to, text: 'A table for four, please' })).message, 'Booked for Saturday.')
        const steps = (await journeysOf(world, { id: to })).at(-1)
        assert.deepEqual(steps.map((step) => step.toolName ?? step.content), ['A table for four, please', tool, 'Booked for Saturday.'])
        assert.equal(steps[1].result, 'booked 4 on saturday')
      }
      child.kill('SIGINT')
      assert.equal(await ended, 0, problems)
      const { worldMap } = await world.getWorldSnapshot()
      assert.ok(!worldMap.occupants.some((row) => row.agentId === to), 'it is on the map still')
      assert.equal(said, `${agent} is on the map: Ctrl-C removes it\n`)
      assert.equal(problems, '')
    })

    it(`${name} states the Node version that its packages need`, () => {
      const [, least = ''] = /It needs Node ([\d.]+) or newer/u.exec(readFileSync(path.join(examples, name, 'README.md'), 'utf8')) ?? []
      for (const [dependency, engine] of neededBy(name)) assert.ok(takes(engine, least), `${dependency} needs Node ${engine}, and the page says ${least}`)
    })

    it(`${name} requires the same packages as the tests`, () => {
      const { dependencies } = JSON.parse(readFileSync(path.join(examples, name, 'package.json'), 'utf8'))
      const { devDependencies } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'package.json'), 'utf8'))
      for (const [dependency, version] of Object.entries(dependencies)) assert.equal(devDependencies[dependency] ?? version, version)
    })
  }

  /** What the models behind the keys say. */
  const turnsOf = (tool) => [{ call: { id: 'k', name: tool, args: { day: 'friday', people: 3 } } }, { words: ['A model ', 'booked it.'] }]
  const keys = {
    'agent-ai': async (tool) => {
      const { url, end } = await startGateway({ turns: turnsOf(tool), model: 'openai/gpt-5-mini', key: 'key' })
      return { env: { AI_GATEWAY_API_KEY: 'key', AI_GATEWAY_URL: url }, flags: [`--import=${pathToFileURL(path.join(import.meta.dirname, 'gateway.mjs')).href}`], end }
    },
    'agent-claude': async (tool) => {
      const { url, end } = await startMessages({ turns: turnsOf(tool) })
      return { env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url, DISABLE_TELEMETRY: '1' }, end }
    },
    ...Object.fromEntries(['agent-langchain', 'agent-openai'].map((name) => [name, async (tool) => {
      const { url, end } = await startOpenAi({ turns: turnsOf(tool) })
      return { env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url }, end }
    }])),
  }
  for (const [name, endpoint] of Object.entries(keys)) {
    it(`${name} calls the model if there is a key`, async (test) => {
      const [agent, tool] = agents[name]
      const [host, { env, flags = [], end }] = await Promise.all([startHost(), endpoint(tool)])
      const world = host.world()
      const folder = path.join(import.meta.dirname, 'node_modules', `.${name}-key`)
      cpSync(path.join(examples, name), folder, { recursive: true })
      const child = spawn(process.execPath, [...flags, 'agent.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, HOME: host.folder, ...host.env, ...env } })
      let problems = ''
      child.stderr.on('data', (text) => { problems += String(text) })
      const ended = new Promise((resolve) => { child.on('close', resolve) })
      test.after(async () => {
        child.kill('SIGKILL')
        await ended
        rmSync(folder, { recursive: true, force: true })
        end()
        await world.close()
        await host.end()
      })
      const to = await Promise.race([arrived(world, agent), ended.then(() => assert.fail(problems))])
      assert.equal((await world.ask({ to, text: 'A table for three, please' })).message, 'A model booked it.', problems)
      assert.equal((await journeysOf(world, { id: to })).at(-1)[1].result, 'booked 3 on friday')
    })
  }
})
