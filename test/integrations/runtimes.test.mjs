import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import process from 'node:process'
import { startHost } from './host.mjs'

const bin = (name, folder = '.') => path.join(import.meta.dirname, folder, 'node_modules/.bin', name)
/** The runtimes by name, with the command that runs a file in each. */
const runtimes = {
  'Node 20': [bin('node', 'nodes/20')], 'Node 22': [bin('node', 'nodes/22')], 'the newest Node': [bin('node')], Bun: [bin('bun')], Deno: [bin('deno'), 'run', '--allow-all', '--no-lock'],
}

const program = `
import { connect, tool } from '@playctl/sdk'
const world = await connect()
const agent = await world.agent(process.env.AGENT, {
  chat: async function* ({ text }) { yield 'You said: '; yield text },
  tools: { double: tool({ description: 'Doubles', input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }, run: ({ n }) => ({ n: 2 * n }) }) },
})
await agent.say('Good morning.')
for await (const event of world.events({ kinds: ['world:interaction'], after: 0 })) if (event.data.text === 'Stop ' + process.env.AGENT) break
await world.close()
`

describe('the package', () => {
  let host
  before(async () => { host = await startHost() })
  after(async () => { await host.end() })

  for (const [name, [command, ...args]] of Object.entries(runtimes)) {
    it(`is an agent in ${name}`, async (test) => {
      const world = host.world()
      const file = path.join(import.meta.dirname, 'node_modules', `.agent-${name.replaceAll(' ', '-')}.mjs`)
      writeFileSync(file, program)
      const child = spawn(command, [...args, file], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, HOME: host.folder, ...host.env, AGENT: name } })
      let problems = ''
      child.stderr.on('data', (text) => { problems += String(text) })
      const ended = new Promise((resolve) => { child.on('exit', resolve) })
      test.after(async () => {
        child.kill('SIGKILL')
        await world.close()
      })
      const appeared = (async () => {
        for await (const { data } of world.events({ kinds: ['world:player_added'], after: 0 })) if (data.player.name === name) return data.player.agentId
      })()
      const to = await Promise.race([appeared, ended.then(() => assert.fail(problems))])
      assert.equal((await world.ask({ to, text: 'hello' })).message, 'You said: hello')
      assert.equal((await world.ask({ to, tool: 'assist_double', args: { n: 21 } })).result.n, 42)
      await assert.rejects(world.ask({ to, tool: 'assist_double', args: { n: 'x' } }), /n: /u)
      await world.recordInteraction({ playerId: to, role: 'user', text: `Stop ${name}` })
      assert.equal(await ended, 0, problems)
    })
  }
})
