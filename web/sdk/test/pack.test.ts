import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import ts from 'typescript'
import { RemotePlayWorld, createNodeCredentialMaterial, isEvent } from '../src/index.js'
import type { WorldEvent } from '../src/index.js'
import { Host, Reports } from './host.js'
import { Project } from './packed.js'
import { repository } from './repository.js'

/** The blocks of a language in a Markdown text. */
function blocks(text: string, language: string): string[] {
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gmu')), (found) => found[1] ?? '')
}

describe('the package in a fresh project', () => {
  let project: Project
  before(() => { project = new Project() })
  after(() => { project.remove() })

  it('has what it needs and no more', () => {
    for (const needed of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/node/index.js', 'dist/node/guardian.js']) {
      assert.ok(project.files.includes(needed), `${needed} is not in the package`)
    }
    assert.ok(!project.files.some((file) => file.includes('test')), 'tests are in the package')
  })

  it('runs the example of its README', () => {
    const [example = ''] = blocks(readFileSync(path.join(repository, 'web/sdk/README.md'), 'utf8'), 'js')
    project.write('example.js', example)
    const said = project.run(process.execPath, 'example.js')
    assert.match(said, /^a world is served at http:/u)
    assert.match(said, /world:player_added \[ 'Ada' \] verified/u)
  })

  it('has types, for the agent of examples/agent-ts as well', () => {
    for (const name of ['agent.ts', 'tsconfig.json']) project.copy(`examples/agent-ts/${name}`)
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
    assert.deepEqual(project.compile(), [])
    const { ModuleKind, ModuleResolutionKind } = ts
    for (const [module, moduleResolution] of [
      [ModuleKind.Node16, ModuleResolutionKind.Node16], [ModuleKind.NodeNext, ModuleResolutionKind.NodeNext], [ModuleKind.ESNext, ModuleResolutionKind.Bundler],
    ] as const) assert.deepEqual(project.compile({ module, moduleResolution, noEmit: true }), [])
  })

  it('runs that agent, which answers and leaves', async () => {
    const host = await Host.start()
    const { node, apiKey } = await host.account()
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    const tess = createNodeCredentialMaterial({ rootKey: host.rootKey })
    await world.createAgentNode(tess)
    const events = new Reports<WorldEvent>()
    await world.subscribeEvents({ after: 0, onEvent: events.add })
    const agent = project.start('agent.js', {
      PLAYCTL_SERVER: host.url, PLAYCTL_API_KEY: apiKey, PLAYCTL_NODE_ID: node.nodeId, PLAYCTL_PHRASE: node.phrase,
      AGENT_NODE_ID: tess.nodeId, AGENT_PHRASE: tess.phrase,
    })
    let problems = ''
    agent.stderr.on('data', (text: Buffer) => { problems += text.toString() })
    const ended = once(agent, 'exit')
    await Promise.race([events.until((e) => e.kind === 'world:player_added'), ended])
    assert.equal((await world.ask({ to: tess.nodeId, text: 'Good morning' })).message, 'You said: Good morning')
    assert.equal((await world.ask({ to: tess.nodeId, tool: 'assist_add', args: { a: 2, b: 3 } })).message, '5')
    await assert.rejects(world.ask({ to: tess.nodeId, tool: 'assist_add', args: { a: 'two' } }), /whole numbers/u)
    assert.equal((await (await world.client()).listJourneys({ playerId: tess.nodeId })).journeys.length, 2)
    agent.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null], problems)
    const left = await events.until((e) => e.kind === 'world:player_removed')
    assert.ok(isEvent(left, 'world:player_removed') && left.data.reason === 'disconnect')
    assert.equal(problems, '')
    await world.close()
    await host.end()
  })
})
