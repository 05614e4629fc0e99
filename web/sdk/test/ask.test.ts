import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  AgentFailedError, AnsweredError, ClosedError, GapError, OptionError, RemotePlayWorld, TookTooLongError, ToolError, createClient, createMainNode,
  frameworkRegistration, hasCode,
} from '../src/index.js'
import type { Agent, NodeCredentialMaterial } from '../src/index.js'
import { FakeHost, refused } from './fake.js'
import { Host, Reports } from './host.js'
import { RewritingProxy } from './rewriting_proxy.js'
import { Started } from './started.js'

const tools = frameworkRegistration('test', ['chat_tool', { name: 'assist_add', description: 'Add', parameters: { type: 'object' } }])

const worldMap = { bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 }, occupants: [{ kind: 'agent', nodeId: 'n', agentId: 'ada', name: 'Ada', x: 1, y: 1 }] }
const worldWithAda = { sid: 's', mainNodeId: 'n', worldMap, spaces: [], mcpServers: [] }

describe('ask', () => {
  const started = new Started()
  let host: Host
  let node: NodeCredentialMaterial
  let apiKey = ''
  let world: RemotePlayWorld
  let ada: Agent
  before(async () => {
    host = await Host.start()
    started.add(async () => host.end())
    node = host.credentials()
    const made = await createMainNode({ baseUrl: host.url, mainNodeCredentials: { phrase: node.phrase, rootKey: host.rootKey } })
    assert.equal(made.nodeId, node.nodeId)
    apiKey = made.apiKey ?? ''
    world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    started.add(async () => world.close())
    const credentials = host.credentials()
    await world.createAgentNode(credentials)
    ada = await world.addAgent({ name: 'Ada', agent: tools, credentials })
    const commands = await world.subscribeIntercomCommands({
      execute: async ({ command, stream, signal }) => {
        const { a = 0, b = 0 } = command.args ?? {}
        if (command.kind === 'assist') return { result: { sum: Number(a) + Number(b) } }
        if (command.text === 'fail') throw new ToolError('no table is free')
        if (command.text === 'for ever') {
          await new Promise((resolve) => { signal.addEventListener('abort', resolve) })
        }
        await stream({ message: 'Looking…' })
        return `You said: ${command.text ?? ''}`
      },
    })
    await commands.ready
  })
  after(async () => started.end())

  it('receives the answer of an agent, whole and in parts', async () => {
    const parts: (string | undefined)[] = []
    const answer = await world.ask({ to: ada.id, text: 'Good morning', onPartial: (part) => { parts.push(part.message) } })
    assert.equal(answer.message, 'You said: Good morning')
    assert.equal(answer.status, 'completed')
    assert.deepEqual(parts, ['Looking…'])
  })

  it('calls a tool for a person and for an agent', async () => {
    for (const from of [{}, { from: ada.id }]) {
      const answer = await world.ask({ to: ada.id.toUpperCase(), tool: 'assist_add', args: { a: 2, b: 3 }, ...from })
      assert.deepEqual(answer.result?.sum, 5)
    }
  })

  it('reaches an agent before its program knows that it is on the map', async () => {
    const credentials = host.credentials()
    let delivered = (): void => undefined
    const forwarded = new Promise<void>((resolve) => { delivered = resolve })
    let asking: Promise<unknown> | undefined
    await using other = new RemotePlayWorld({
      baseUrl: host.url, apiKey, mainNodeCredentials: node,
      fetch: async (input, init) => {
        const reply = await fetch(input, init)
        const { pathname } = new URL(input instanceof Request ? input.url : input)
        if (pathname === '/api/play/events') {
          const listened = new TransformStream<Uint8Array, Uint8Array>({
            transform(piece, controller) {
              controller.enqueue(piece)
              if (new TextDecoder().decode(piece).includes('Are you there yet?')) setImmediate(delivered)
            },
          })
          return new Response(reply.body?.pipeThrough(listened), reply)
        }
        if (pathname === '/api/play/players') {
          asking ??= world.ask({ to: credentials.nodeId, text: 'Are you there yet?' })
          await forwarded
        }
        return reply
      },
    })
    await other.createAgentNode(credentials)
    const commands = await other.subscribeIntercomCommands({ execute: ({ agent }) => `${agent.name} is` })
    await commands.ready
    const { name } = await other.addAgent({ name: 'Early', agent: tools, credentials })
    assert.deepEqual(await asking, { ...await asking as object, message: `${name} is`, status: 'completed' })
  })

  it('reports an agent that fails or times out', async () => {
    const failed = (to: string, pattern: RegExp) => assert.rejects(world.ask({ to, text: 'fail' }), (error) => {
      assert.ok(error instanceof AgentFailedError && error.answer.status === 'failed')
      assert.match(error.message, pattern)
      return true
    })
    await failed(ada.id, /no table is free/u)
    const credentials = host.credentials()
    const other = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    await other.createAgentNode(credentials)
    const slow = await other.addAgent({ name: 'Slow', agent: tools, credentials })
    const reasons = new Reports<unknown>()
    const commands = await other.subscribeIntercomCommands({
      timeoutMs: 300,
      execute: async ({ signal }) => {
        await new Promise((resolve) => { signal.addEventListener('abort', resolve) })
        reasons.add(signal.reason)
        return 'late'
      },
    })
    await commands.ready
    await failed(slow.id, /did not finish within 0.3 s/u)
    assert.ok(await reasons.until(() => true) instanceof TookTooLongError)
    await other.close()
  })

  it('rejects for an unknown agent, an unknown tool and a blank text', async () => {
    await assert.rejects(world.ask({ to: 'nobody', text: 'hi' }), (error) => hasCode(error, 'player_unknown'))
    await assert.rejects(world.ask({ to: ada.id, tool: 'assist_none' }), (error) => hasCode(error, 'tool_unknown'))
    await assert.rejects(world.ask({ to: ada.id, text: ' ' }), OptionError)
    await assert.rejects(world.ask({ to: ' ', text: 'hello' }), OptionError)
  })

  it('rejects immediately if no open stream answers for the agent', async () => {
    const other = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    const [eve, kim] = await Promise.all(['Eve', 'Kim'].map(async (name) => {
      const credentials = host.credentials()
      await other.createAgentNode(credentials)
      return other.addAgent({ name, agent: tools, credentials })
    }))
    assert.ok(eve !== undefined && kim !== undefined)
    const unanswered = async (to: string) => assert.rejects(world.ask({ to, text: 'hi' }), (error) => hasCode(error, 'agent_not_answering'))
    // The stream of another program's agents, a copy of the world and a reader of events answer for no agent.
    const copy = await other.subscribeWorldState()
    const events = await other.subscribeEvents({ onEvent: () => undefined })
    const loop = other.events()
    const looped = loop.next()
    await Promise.all([unanswered(eve.id), unanswered(kim.id)])
    const named = await other.subscribeIntercomCommands({ agents: [eve], execute: () => 'Eve is here' })
    await named.ready
    assert.equal((await world.ask({ to: eve.id, text: 'hi' })).message, 'Eve is here')
    await unanswered(kim.id)
    const all = await other.subscribeIntercomCommands({ execute: ({ agent }) => `${agent.name} is here` })
    await all.ready
    assert.equal((await world.ask({ to: kim.id, text: 'hi' })).message, 'Kim is here')
    await Promise.all([copy.close(), events.close()])
    await other.close()
    await looped
  })

  it('ends when its signal is aborted or the world is closed', async () => {
    const signal = AbortSignal.abort(new Error('changed my mind'))
    await assert.rejects(world.ask({ to: ada.id, text: 'hi', signal }), /changed my mind/u)
    const other = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    const held = other.hold().forever()
    const asked = other.ask({ to: ada.id, text: 'for ever' })
    await Promise.all([assert.rejects(asked, ClosedError), assert.rejects(held, ClosedError), other.connect().then(async () => other.close())])
  })

  it('sends its question even if the host withholds the headers of the stream', async () => {
    const proxy = await RewritingProxy.start(host.url)
    proxy.withholdsHeaders = true
    const other = new RemotePlayWorld({ baseUrl: proxy.url, apiKey, mainNodeCredentials: node })
    assert.equal((await other.ask({ to: ada.id, text: 'hello' })).message, 'You said: hello')
    await other.close()
    await proxy.end()
  })

  it('aborts an executor whose command another program answered', async () => {
    const credentials = host.credentials()
    const other = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node })
    await other.createAgentNode(credentials)
    const bob = await other.addAgent({ name: 'Bob', agent: tools, credentials })
    const started = new Reports<string>()
    const ended = new Reports<unknown>()
    const slow = await other.subscribeIntercomCommands({
      agents: [bob],
      execute: async ({ command, signal }) => {
        started.add(command.requestId)
        await new Promise((resolve) => { signal.addEventListener('abort', resolve) })
        ended.add(signal.reason)
        return 'late'
      },
    })
    await slow.ready
    const asked = world.ask({ to: bob.id, text: 'hi' })
    const requestId = await started.until(() => true)
    const client = createClient({ baseUrl: host.url, credentials, apiKey })
    await client.intercomResponse({
      requestId, mainNodeId: node.nodeId, toPlayerId: '__human__', fromPlayerId: bob.id, kind: 'chat', status: 'completed', message: 'early',
      ts: new Date().toISOString(),
    })
    assert.equal((await asked).message, 'early')
    assert.ok(await ended.until(() => true) instanceof AnsweredError)
    await slow.close()
    assert.equal(await other.deleteAgentNode(bob.id), true)
    assert.equal(await other.deleteAgentNode(bob.id), false)
    assert.ok(!(await world.getWorldSnapshot()).worldMap.occupants.some((row) => row.name === 'Bob'))
    await other.close()
  })

  it('receives the answer even if its stream opens long after the question', async () => {
    let open = (): void => undefined
    const held = new Promise<void>((resolve) => { open = resolve })
    await using other = new RemotePlayWorld({
      baseUrl: host.url, apiKey, mainNodeCredentials: node,
      fetch: async (input, init) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input)
        if (pathname === '/api/play/events') await held
        return fetch(input, init)
      },
    })
    const events = world.events({ kinds: ['world:intercom'] })
    const answered = (async () => {
      for await (const { data } of events) if (data.status === 'completed') return
    })()
    const asked = other.ask({ to: ada.id, text: 'Are you quick?' })
    await answered
    open()
    assert.equal((await asked).message, 'You said: Are you quick?')
  })

  it('ends if the host refuses the stream for good', { timeout: 20_000 }, async () => {
    const fake = new FakeHost(({ route }) => {
      if (route === 'getWorldSnapshot') return Response.json({ snapshot: worldWithAda })
      return route === '/events' ? refused() : undefined
    })
    await using other = fake.world()
    await assert.rejects(other.ask({ to: 'ada', text: 'hi' }), (error) => hasCode(error, 'credentials_invalid'))
  })

  it('fails if the answer may be lost between streams without event numbers', async () => {
    const fake: FakeHost = new FakeHost((received) => {
      if (received.route === 'getWorldSnapshot') return Response.json({ snapshot: worldWithAda })
      return received.route === '/events' ? fake.stream(received, 'retry: 0\n\n:\n\n') : undefined
    })
    await using other = fake.world()
    const asked = assert.rejects(other.ask({ to: 'ada', text: 'hi' }), GapError)
    await fake.requests.until(({ route }) => route === 'intercomCommand')
    for (const stream of fake.streams) stream.close()
    fake.streams.clear()
    await asked
  })
})
