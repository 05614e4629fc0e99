import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import ts from 'typescript'
import { RemotePlayWorld, isEvent } from '../src/index.js'
import type { WorldEvent } from '../src/index.js'
import { Host, Reports } from './host.js'
import { Project } from './packed.js'
import { repository } from './repository.js'

/** Returns the code blocks of a language in a Markdown text. */
function blocks(text: string, language: string): string[] {
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gmu')), (found) => found[1] ?? '')
}

/** Returns the README's program that calls a function. */
function example(called: string): string {
  return blocks(readFileSync(path.join(repository, 'web/sdk/README.md'), 'utf8'), 'js').find((block) => block.includes(called)) ?? assert.fail(called)
}

describe('the package in a fresh project', () => {
  let project: Project
  before(() => { project = new Project() })
  after(() => { project.remove() })

  it('has all necessary files and no others', () => {
    for (const needed of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/node/index.js', 'dist/node/guardian.js', 'dist/react/index.js', 'dist/agent-play/index.js', 'dist/agent-play/browser.js']) {
      assert.ok(project.files.includes(needed), `${needed} is not in the package`)
    }
    assert.ok(!project.files.some((file) => file.includes('test')), 'tests are in the package')
    // test/run.mjs does the same, without type checking.
    const { scripts } = JSON.parse(readFileSync(path.join(repository, 'web/sdk/package.json'), 'utf8')) as { scripts: Record<string, string> }
    assert.deepEqual([scripts.prepack, scripts.build], ['npm run build', 'tsc -p tsconfig.build.json'])
  })

  it('runs the agent of its README', async () => {
    const host = await Host.start()
    const { node, apiKey } = await host.account()
    project.write('agent.mjs', example('world.agent'))
    const agent = project.start('agent.mjs', { PLAYCTL_SERVER: host.url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey })
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    for await (const { data } of world.events({ kinds: ['world:interaction'], after: 0 })) {
      assert.equal((await world.ask({ to: data.playerId, tool: 'assist_book', args: { people: 3 } })).message, 'A table for 3.')
      break
    }
    agent.kill('SIGKILL')
    await world.close()
    await host.end()
  })

  it('adds an agent with the lines that docs/integrations.md counts', async () => {
    const page = readFileSync(path.join(repository, 'docs/integrations.md'), 'utf8')
    const [, section = ''] = page.split('\n## Without a framework\n')
    const [lines = ''] = blocks(section, 'ts')
    const counted = lines.split('\n').filter((line) => line.trim() !== '').length
    assert.ok(counted <= 5 && page.includes(`, in TypeScript | ${counted} (`), `the table states a number other than ${counted}`)
    const host = await Host.start()
    const { node, apiKey } = await host.account()
    project.write('first.mjs', `const answer = (text) => 'You said: ' + text\n${lines}`)
    const program = project.start('first.mjs', { PLAYCTL_SERVER: host.url, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase, PLAYCTL_API_KEY: apiKey })
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    for await (const { data } of world.events({ kinds: ['world:player_added'], after: 0 })) {
      assert.equal((await world.ask({ to: data.player.agentId, text: 'hello' })).message, 'You said: hello')
      break
    }
    program.kill('SIGKILL')
    await world.close()
    await host.end()
  })

  it('runs the world of its README', () => {
    project.write('example.js', example('PlayWorld'))
    const said = project.run(process.execPath, 'example.js')
    assert.match(said, /^a world is served at http:/u)
    assert.match(said, /world:player_added \[ 'Ada' \] verified/u)
  })

  it('has types that examples/agent-ts compiles with', () => {
    for (const name of ['agent.ts', 'tsconfig.json']) project.copy(`examples/agent-ts/${name}`)
    project.write('lovable.ts', `
      import { type EventOf, connect, tool } from '@playctl/sdk'
      import { RemotePlayWorld } from '@playctl/sdk/agent-play'
      export const older = new RemotePlayWorld()
      export const line = async (): Promise<string> => {
        await using world = await connect({ context: 'default' })
        await world.agent('Ada', {
          chat: async function* ({ text }) { yield text },
          tools: { book: tool({ description: 'Books', input: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] }, run: ({ people }) => String(people + 1) }) },
        })
        for await (const event of world.events({ kinds: ['world:interaction', 'world:journey'] })) {
          if (event.kind === 'world:interaction') return event.data.text
          const journey: EventOf<'world:journey'> = event
          return journey.data.playerId
        }
        return ''
      }
    `)
    project.write('consumer.ts', `
      import { type EventOptions, type PlayError, type WorldUpdate, RemotePlayWorld, isEvent, type WorldEvent } from '@playctl/sdk'
      import { PlayWorld } from '@playctl/sdk/node'
      export const show = (update: WorldUpdate): number => update.snapshot.worldMap.occupants.length
      export const text = (event: WorldEvent): string => isEvent(event, 'world:interaction') ? event.data.text : ''
      // @ts-expect-error an API key is required
      export const wrong = () => new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:7420' })
      export const options: EventOptions = { kinds: ['world:intercom', 'a kind of tomorrow'], onEvent: async () => { await Promise.resolve() } }
      export const refused = (error: PlayError): boolean => error.code === 'behind'
      export const own: Promise<PlayWorld> = PlayWorld.start()
    `)
    // The project's own tsconfig.json uses the module system of current Node versions.
    assert.match(readFileSync(path.join(project.folder, 'tsconfig.json'), 'utf8'), /"module": "NodeNext"/u)
    assert.deepEqual(project.compile(), [])
    const { ModuleKind, ModuleResolutionKind } = ts
    for (const [module, moduleResolution] of [
      [ModuleKind.Node16, ModuleResolutionKind.Node16], [ModuleKind.ESNext, ModuleResolutionKind.Bundler],
    ] as const) assert.deepEqual(project.compile({ module, moduleResolution, noEmit: true }), [])
  })

  it('runs that agent, which answers and leaves', async () => {
    const host = await Host.start()
    const { node, apiKey } = await host.account()
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    const events = new Reports<WorldEvent>()
    await world.subscribeEvents({ after: 0, onEvent: events.add })
    const agent = project.start('agent.js', {
      PLAYCTL_SERVER: host.url, PLAYCTL_API_KEY: apiKey, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase,
    })
    let problems = ''
    agent.stderr.on('data', (text: Buffer) => { problems += text.toString() })
    const ended = once(agent, 'exit')
    const added = await Promise.race([events.until((e) => e.kind === 'world:player_added'), ended.then(() => assert.fail(problems))])
    assert.ok(isEvent(added, 'world:player_added'))
    const tess = { nodeId: added.data.player.agentId }
    assert.equal((await world.ask({ to: tess.nodeId, text: 'Good morning' })).message, 'You said: Good morning')
    assert.equal((await world.ask({ to: tess.nodeId, tool: 'assist_add', args: { a: 2, b: 3 } })).message, '5')
    await assert.rejects(world.ask({ to: tess.nodeId, tool: 'assist_add', args: { a: 'two', b: 1 } }), /a: .*integer/u)
    assert.equal((await (await world.client()).listJourneys({ playerId: tess.nodeId })).journeys.length, 3)
    agent.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null], problems)
    const left = await events.until((e) => e.kind === 'world:player_removed')
    assert.ok(isEvent(left, 'world:player_removed') && left.data.reason === 'disconnect')
    assert.equal(problems, '')
    await world.close()
    await host.end()
  })
})
