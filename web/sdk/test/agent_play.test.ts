import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { z } from 'zod'
import * as browserEntry from '../src/agent-play/browser.js'
import * as entry from '../src/agent-play/index.js'
import {
  type AddAgentInput, type AgentPlaySnapshot, type AssistToolSpec, type IntercomEventData, type IntercomToolExecutor, type Journey, type JourneyStep,
  type PlayerChainNodeResponse, type RegisteredPlayer, RemotePlayWorld, type RemotePlayWorldSessionEvent, SESSION_CLOSED_EVENT,
  SESSION_CONNECTED_EVENT, boundsContain, clampWorldPosition, configureAgentPlayDebug, intercomResultRecordFromLangChainInvokeOutput, langchainRegistration,
  loadAgentPlayCredentialsFileFromPath, loadAgentPlayCredentialsFileFromPathSync, loadRootKey, nodeCredentialFromHumanPhrase, nodeCredentialFromPasswHash,
  resetAgentPlayDebug, resolveAgentPlayCredentialsPath, type SubscribeIntercomCommandsOptions, verifyStoredNodeCredential,
} from '../src/agent-play/index.js'
import { OptionError, createClient, noRetry } from '../src/index.js'
import { FakeHost, type ReceivedRequest, chats } from './fake.js'
import { Host, Reports } from './host.js'
import { repository } from './repository.js'

/** Returns a registration for an agent in LangChain's form, with the tools of a program for the agent-play service. */
const langchain = (schema: unknown) => langchainRegistration({
  options: { tools: [{ name: 'chat_tool', description: 'Chats', schema }, { name: 'assist_add', description: 'Adds', schema }] },
})

/** A program in the shape of an agent server for that package: its world, its players, and what the world reported. */
async function program(host: Host) {
  const { node, apiKey } = await host.account()
  const mine = [host.credentials(), host.credentials()]
  const owner = createClient({ baseUrl: host.url, credentials: node, apiKey })
  for (const agent of mine) await owner.createAgentNode(agent)
  const events = new Reports<RemotePlayWorldSessionEvent>()
  const warnings: string[] = []
  const streams = new Reports<AbortSignal | null | undefined>()
  const world = new RemotePlayWorld({
    baseUrl: host.url, apiKey, nodeCredentials: { rootKey: host.rootKey, passw: node.phrase }, onSessionEvent: events.add, onWarning: (text) => { warnings.push(text) },
    fetch: async (input, init) => {
      const reply = await fetch(input, init)
      if (new URL(input instanceof Request ? input.url : input).pathname.endsWith('/events')) streams.add(init?.signal)
      return reply
    },
  })
  await world.initAudio({ openai: { apiKey: 'sk-secret' } }).connect({ mainNodeId: ` ${node.nodeId.toUpperCase()} ` })
  const players: RegisteredPlayer[] = []
  for (const [i, { nodeId, phrase }] of mine.entries()) {
    const input: AddAgentInput = { name: `Agent ${i}`, type: 'langchain', agent: { type: 'langchain', toolNames: ['chat_tool', 'assist_add'], assistTools: adding }, nodeId, agentPassphrase: phrase, enableP2a: 'on' }
    players.push(await world.addAgent(input))
  }
  return { world, players, node, apiKey, streams, events, warnings }
}

const adding: AssistToolSpec[] = [{ name: 'assist_add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }]

/** A stand-in for an agent of LangChain. */
const agentThat = (answer: (text: string) => unknown) => ({
  invoke({ messages }: { messages: { content: string }[] }) { return answer(messages.at(-1)?.content ?? '') },
})

const executeTool: IntercomToolExecutor = ({ toolName, args }) => {
  if (toolName === 'chat_tool') return { message: `echo ${String(args.text)}` }
  if (typeof args.a !== 'number') throw new Error('a is not a number')
  return { sum: args.a + Number(args.b) }
}

for (const flags of [['--compat', 'agent-play'], []]) {
  describe(`a program of the agent-play service, at a host ${flags.length === 0 ? 'without its paths' : 'with its paths'}`, () => {
    let host: Host
    before(async () => { host = await Host.start(...flags) })
    after(async () => { await host.end() })

    it('works with its import changed', async () => {
      const { node, apiKey } = await host.account()
      const ada = host.credentials()
      await createClient({ baseUrl: host.url, credentials: node, apiKey }).createAgentNode(ada)
      const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, nodeCredentials: { rootKey: host.rootKey, passw: node.phrase } })
      assert.throws(() => world.getSessionId(), /connect\(\) first/u)
      assert.equal(world.getPreviewUrl(), `${host.url}/agent-play/watch`)
      await world.connect()
      assert.ok(world.getSessionId())
      const page = await fetch(world.getPreviewUrl())
      assert.equal(page.status, 200)
      await page.text()
      const snapshots = new Reports<AgentPlaySnapshot>()
      const { close } = world.subscribeWorldState({ onSnapshot: snapshots.add })
      await snapshots.until(({ worldMap }) => worldMap.occupants.length === 0)
      const player = await world.addPlayer({ name: 'Ada', type: 'langchain', agent: langchain(z.object({ a: z.number() })), agentId: ada.nodeId, agentPassphrase: ada.phrase })
      assert.equal(player.id, ada.nodeId)
      await snapshots.until(({ worldMap }) => worldMap.occupants.some(({ name }) => name === 'Ada'))
      await world.recordInteraction({ playerId: player.id, role: 'assistant', text: 'Hello' })
      const steps: JourneyStep[] = [{ type: 'origin', content: 'hi', messageId: 'm' }, { type: 'structure', toolName: 'assist_add', toolCallId: 'c', args: { a: 1 }, result: '1' }]
      const journey: Journey = { startedAt: new Date(), completedAt: new Date(), steps }
      await world.recordJourney(player.id, journey)
      const chainNode: PlayerChainNodeResponse = await world.getPlayerChainNode(`agent:${node.nodeId}:${ada.nodeId}`)
      assert.equal(chainNode.kind, 'occupant')
      const mcp: string = await world.registerMcp({ name: 'tools', url: 'https://example.com/mcp' })
      assert.notEqual(mcp, '')
close()
      await world.close()
      await assert.rejects(world.connect(), /closed/u)
    })

    it('answers texts and tool calls for several agents', async () => {
      const { world, players, streams, events, warnings } = await program(host)
      const [first, second] = players
      assert.ok(first !== undefined && second !== undefined)
      assert.match(warnings.join(), /initAudio has no effect/u)
      assert.doesNotMatch(warnings.join(), /sk-secret/u)
      assert.deepEqual(players.map(({ enableP2a, connectionId, leaseTtlSeconds }) => [enableP2a, typeof connectionId, leaseTtlSeconds]), [['on', 'string', 45], ['on', 'string', 45]])
      const chatAgentsByPlayerId = new Map<string, unknown>([[first.id, agentThat((text) => ({ messages: [{ content: text }, { content: [{ type: 'text', text: `model: ${text}` }] }] }))]])
      const { close } = world.subscribeIntercomCommands({ playerIds: players.map(({ id }) => id), executeTool, chatAgentsByPlayerId })
      const stream = await streams.until(() => true)
      const intercom = new Reports<IntercomEventData>()
      world.subscribeWorldState({ onSnapshot: () => undefined, onIntercomEvent: intercom.add })
      await streams.until(() => streams.all.length === 2)
      assert.deepEqual((await world.ask({ to: first.id, text: 'hi' })).result, { mode: 'chat', message: 'model: hi', messageKind: 'text' })
      assert.equal((await world.ask({ to: second.id, text: 'hi' })).message, 'echo hi')
      assert.equal((await world.ask({ to: second.id, tool: 'assist_add', args: { a: 2, b: 3 } })).result?.sum, 5)
      await assert.rejects(world.ask({ to: first.id, tool: 'assist_add', args: { a: 'x' } }), /a is not a number/u)
      await intercom.until(({ status, fromPlayerId }) => status === 'failed' && fromPlayerId === first.id)
close()
      await new Promise((resolve) => { stream?.addEventListener('abort', resolve) })
      await world.close()
      assert.deepEqual(events.all, [{ name: SESSION_CONNECTED_EVENT, detail: { sid: world.getSessionId() } }, { name: SESSION_CLOSED_EVENT }])
    })

    it('answers by itself with sendIntercomResponse, also for an agent that another program holds', async () => {
      const { world, players: [player], node, apiKey } = await program(host)
      assert.ok(player !== undefined)
      await using other = new RemotePlayWorld({ baseUrl: host.url, apiKey, nodeCredentials: { rootKey: host.rootKey, passw: node.phrase } })
      const answered = new Reports<string>()
      const subscription = other.subscribeWorldState({
        onSnapshot: () => { answered.add('read') },
        onIntercomEvent: async ({ status, command }) => {
          if (status !== 'forwarded' || command === undefined) return
          await other.sendIntercomResponse({
            requestId: command.requestId, mainNodeId: command.mainNodeId, toPlayerId: command.fromPlayerId, fromPlayerId: command.toPlayerId,
            kind: command.kind, status: 'completed', message: 'by hand', ts: new Date().toISOString(),
          })
        },
      })
      await answered.until((text) => text === 'read')
      const answer = await world.ask({ to: player.id, text: 'hi' })
      assert.equal(answer.message, 'by hand')
      subscription.close()
      await world.close()
    })

    it('refuses the id of another main node before it sends anything', async () => {
      const { node } = await host.account()
      let sent = 0
      const world = new RemotePlayWorld({
        baseUrl: host.url, mainNodeCredentials: { rootKey: host.rootKey, passw: node.phrase }, fetch: async (...request) => { sent++; return fetch(...request) },
      })
      await assert.rejects(world.connect({ mainNodeId: 'f'.repeat(64) }), /the main node of the credentials is/u)
      assert.equal(sent, 0)
      await world.close()
    })

    it('finds the credentials file that its commands wrote', async () => {
      const { node } = await host.account()
      const file = path.join(host.folder, 'own/credentials.json')
      mkdirSync(path.dirname(file), { recursive: true })
      const stored = { serverUrl: `${host.url}/`, nodeId: node.nodeId, passw: node.phrase, agentNodes: [{ nodeId: 'a', passw: 'b', createdAt: 'c' }, { nodeId: 1 }] }
      writeFileSync(file, '\ufeff' + JSON.stringify(stored))
      writeFileSync(path.join(host.folder, 'own/.root'), `${host.rootKey.toUpperCase()}\n`)
      const restore = within(file)
      try {
        assert.equal(resolveAgentPlayCredentialsPath(), file)
        const read = loadAgentPlayCredentialsFileFromPathSync(file)
        assert.deepEqual(read, { ...stored, serverUrl: host.url, agentNodes: stored.agentNodes.slice(0, 1) })
        assert.deepEqual(await loadAgentPlayCredentialsFileFromPath(file), read)
        assert.equal(loadRootKey(path.join(host.folder, 'own/.root')), host.rootKey)
        await using world = new RemotePlayWorld()
        if (flags.length > 0) await world.connect({ mainNodeId: node.nodeId })
        else await assert.rejects(world.connect(), /API key/u)
        writeFileSync(file, '{"serverUrl":1}')
        assert.throws(() => new RemotePlayWorld(), /is not a credentials file of agent-play/u)
        assert.throws(() => new RemotePlayWorld({ nodeCredentials: { rootKey: host.rootKey, passw: 'x' } }), /is not a credentials file/u)
      } finally {
        restore()
      }
    })
  })
}

/** Makes a file the credentials file. The returned function undoes that. */
function within(file: string): () => void {
  const { AGENT_PLAY_CREDENTIALS_PATH: before } = process.env
  process.env.AGENT_PLAY_CREDENTIALS_PATH = ` ${file} `
  return () => {
    if (before === undefined) delete process.env.AGENT_PLAY_CREDENTIALS_PATH
    else process.env.AGENT_PLAY_CREDENTIALS_PATH = before
  }
}

describe('a world of the agent-play service', () => {
  const world = (host: FakeHost, warnings: string[] = []) => new RemotePlayWorld({
    baseUrl: 'http://127.0.0.1:9', service: 'play', apiKey: 'none', mainNodeCredentials: { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) },
    retry: noRetry, fetch: host.fetch, onWarning: (text) => { warnings.push(text) },
  })

  it('connects on the next call if the host was unavailable before', async () => {
    let away = true
    const host = new FakeHost(() => (away ? Promise.reject(new TypeError('fetch failed')) : undefined))
    await using late = world(host)
    await assert.rejects(late.connect(), /fetch failed/u)
    away = false
    await late.connect()
    assert.equal(late.getSessionId(), 's')
  })

  it('closes once, without an error if an agent cannot be disconnected', async (test) => {
    const printed = test.mock.method(console, 'warn', () => undefined)
    const refuses = ({ route }: ReceivedRequest) => (route === '/players/disconnect' ? Response.json({ error: 'no', code: 'forbidden' }, { status: 403 }) : undefined)
    const warnings: string[] = []
    const left = world(new FakeHost(refuses), warnings)
    await left.addAgent({ name: 'Ada', nodeId: 'ada', type: 'test', agent: chats })
    const called: string[] = []
    const off = left.onClose(() => { called.push('taken back') })
    left.onClose(() => { called.push('first'); throw new Error('a listener that fails') })
    left.onClose(() => { called.push('second') })
    off()
    await Promise.all([left.close(), left.close()])
    assert.deepEqual(called, ['first', 'second'])
    assert.match(String(printed.mock.calls[0]?.arguments[1]), /a listener that fails/u)
    assert.match(warnings.join(), /could not be disconnected/u)
  })

  it('holds without a host, for a finite time, and not beyond close', async () => {
    const away = world(new FakeHost(() => Promise.reject(new TypeError('fetch failed'))))
    await away.hold().for(0.001)
    await away.hold().for(-1)
    for (const seconds of [Infinity, NaN, '60' as unknown as number]) await assert.rejects(away.hold().for(seconds), OptionError)
    const held = away.hold().for(3600)
    await away.close()
    await held
  })

  it('survives subscriptions at a host that is away', async (test) => {
    const printed = test.mock.method(console, 'warn', () => undefined)
    const away = world(new FakeHost(() => Promise.reject(new TypeError('fetch failed'))))
    const errors = new Reports<Error>()
    const { close } = away.subscribeIntercomCommands({ playerId: 'ada', executeTool })
    away.subscribeWorldState({ onSnapshot: () => undefined, onError: errors.add })
    assert.match((await errors.until(() => true)).message, /fetch failed/u)
    away.subscribeIntercomCommands({ playerIds: [' '], executeTool }).close()
    for (const wrong of [{}, { playerIds: 'ada' }, { playerIds: [7] }]) {
      assert.throws(() => away.subscribeIntercomCommands({ ...wrong, executeTool } as unknown as SubscribeIntercomCommandsOptions), OptionError)
    }
    close()
    await away.close()
    assert.match(String(printed.mock.calls[0]?.arguments[0]), /fetch failed/u)
  })

  it('needs a host for credentials', () => {
    const restore = within('/nonexistent/credentials.json')
    try {
      const mainNodeCredentials = { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) }
      for (const options of [{ apiKey: 'k', mainNodeCredentials }, { nodeCredentials: { rootKey: 'r', passw: 'p' } }, { apiKey: 'k' }, { agentCredentials: { Ada: mainNodeCredentials } }]) {
        assert.throws(() => new RemotePlayWorld(options), /baseUrl is missing/u)
      }
      for (const baseUrl of ['', 'not an address']) assert.throws(() => new RemotePlayWorld({ baseUrl, mainNodeCredentials }), OptionError)
      assert.throws(() => new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', nodeCredentials: { rootKey: ' ', passw: 'p' } }), /incomplete/u)
    } finally {
      restore()
    }
  })

  it('prints what happens if the program asked for it', async (test) => {
    const printed = test.mock.method(console, 'info', () => undefined)
    configureAgentPlayDebug({ debug: true })
    try {
      const talking = world(new FakeHost())
      await talking.connect()
      await talking.close()
    } finally {
      resetAgentPlayDebug()
    }
    const quiet = world(new FakeHost())
    await quiet.connect()
    await quiet.close()
    assert.deepEqual(printed.mock.calls.map((call) => String(call.arguments[0])), ['playctl: session:connected s', 'playctl: session:closed'])
  })
})

describe('the functions of the agent-play package', () => {
  it('read what a LangChain agent returned', () => {
    const cases: [output: unknown, result: unknown][] = [
      ['text', { mode: 'chat', message: 'text' }],
      [null, { mode: 'chat', message: 'null' }],
      [{ structuredResponse: { a: 1 }, messages: [{ content: 'x' }] }, { a: 1 }],
      [{ structuredResponse: [1] }, { mode: 'chat', structuredResponse: [1] }],
      [{ messages: [{ content: 'x' }, { content: ['a', { type: 'text', text: 'b' }, { type: 'image' }] }] }, { mode: 'chat', message: 'ab' }],
      [{ messages: [] }, { mode: 'chat', output: { messages: [] } }],
    ]
    for (const [output, result] of cases) assert.deepEqual(intercomResultRecordFromLangChainInvokeOutput(output), result)
  })

  it('derive and compare node ids', () => {
    const made = nodeCredentialFromHumanPhrase({ phrase: 'some words', rootKey: 'r' })
    assert.deepEqual(nodeCredentialFromPasswHash({ passwHash: made.passwHash, rootKey: 'r' }), { passwHash: made.passwHash, nodeId: made.nodeId })
    const verify = (changed: object) => verifyStoredNodeCredential({ nodeId: made.nodeId.toUpperCase(), passwHash: made.passwHash, rootKey: 'r', ...changed })
    assert.deepEqual([verify({}), verify({ rootKey: 'other' }), verify({ passwHash: '' })], [true, false, false])
  })

  it('clamp positions to the map', () => {
    const bounds = { minX: 0, minY: 0, maxX: 9, maxY: 5 }
    assert.deepEqual(clampWorldPosition({ x: -1, y: 7 }, bounds), { x: 0, y: 5 })
    assert.deepEqual([boundsContain(bounds, { x: 9, y: 5 }), boundsContain(bounds, { x: 9.1, y: 5 })], [true, false])
  })

  it('have the names that docs/typescript.md states', () => {
    const [, section = ''] = readFileSync(path.join(repository, 'docs/typescript.md'), 'utf8').split('### Names that only @agent-play/sdk has\n')
    const [table = ''] = section.split('\n## ')
    const names = table.split('\n').filter((line) => line.startsWith('|')).flatMap((line) => Array.from(line.split('|')[2]?.matchAll(/`(\w+)`/gu) ?? [], ([, name = '']) => name))
    assert.ok(names.length > 150)
    assert.deepEqual(names.filter((name) => name in entry || name in browserEntry), [])
    const shared = [
      'PLAYER_CHAIN_GENESIS_STABLE_KEY', 'PLAYER_CHAIN_HEADER_STABLE_KEY', 'boundsContain', 'clampWorldPosition', 'mergeSnapshotWithPlayerChainNode', 'parsePlayerChainFanoutNotify',
      'parsePlayerChainFanoutNotifyFromSsePayload', 'parsePlayerChainNodeRpcBody', 'sortNodeRefsForSerializedFetch',
    ]
    assert.deepEqual(Object.keys(browserEntry).sort(), shared)
  })
})

describe('langchainRegistration', () => {
  it('reads the tools of the agent, with the fields of any Zod version', () => {
    const zod3 = { _def: { typeName: 'ZodObject', shape: () => ({ a: { _def: { typeName: 'ZodOptional', innerType: { _def: { typeName: 'ZodNumber' } } } }, b: { _def: { typeName: 'ZodDate' } } }) } }
    assert.deepEqual(langchain(zod3), {
      type: 'langchain', toolNames: ['chat_tool', 'assist_add'],
      assistTools: [{ name: 'assist_add', description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' }, b: {} } } }],
    })
    assert.deepEqual((langchain(z.object({ a: z.string() })).assistTools[0]?.parameters.properties), { a: { type: 'string' } })
    assert.throws(() => langchainRegistration({}), /no list of tools/u)
    assert.throws(() => langchainRegistration({ tools: [{ name: 'assist_add' }] }), /lack chat_tool/u)
  })
})
