import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PlayWorld } from '../src/node/index.js'
import { RemotePlayWorld as AgentPlayWorld } from '../src/agent-play/index.js'
import {
  type AddAgentOptions, type NodeCredentialMaterial, OptionError, RemotePlayWorld, type WorldClient, connect, createClient, createMainNode, frameworkRegistration,
  pastEvents, subscribeEvents, subscribeWorld,
} from '../src/index.js'
import { requestFields } from '../src/protocol/contract.js'
import { requestOf } from '../src/http/request.js'
import { Host } from './host.js'

/** A secret that a program keeps beside its options, under a name that no call knows. */
const stray = { strayPassword: 'marked-secret-0' }
const registration = frameworkRegistration('test', [{ name: 'chat_tool' }])

/** What a program sent: each request's method and URL, its headers and its body. */
class Wire {
  readonly requests: { url: string; headers: Headers; body: string }[] = []

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    this.requests.push({ url: input instanceof Request ? input.url : input.toString(), headers: new Headers(init?.headers), body: typeof init?.body === 'string' ? init.body : '' })
    return fetch(input, init)
  }

  /** The places where a text is: the URL, a header or the path of a member of a body. */
  placesOf(text: string): string[] {
    return [...new Set(this.requests.flatMap(({ url, headers, body }) => [
      ...(url.includes(text) ? ['url'] : []),
      ...[...headers].flatMap(([name, value]) => (value.includes(text) ? [name] : [])),
      ...(body === '' ? [] : paths(JSON.parse(body), 'body', text)),
    ]))].sort()
  }
}

function paths(value: unknown, at: string, text: string): string[] {
  if (typeof value === 'string') return value.includes(text) ? [at] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [...(name.includes(text) ? [`${at}.${name}`] : []), ...paths(inner, `${at}.${name}`, text)])
}

/** Requires that a call refuses the stray option and says its name only. */
async function refused(what: string, call: () => unknown): Promise<void> {
  await assert.rejects(async () => { await call() }, (error: unknown) => {
    assert.ok(error instanceof OptionError, `${what}: ${String(error)}`)
    assert.match(error.message, /strayPassword/u, what)
    assert.doesNotMatch(`${error.message}${error.stack ?? ''}`, /marked-secret/u, what)
    return true
  })
}

describe('secrets among the options of calls', () => {
  let host: Host
  let node: NodeCredentialMaterial
  let apiKey: string
  let ada: NodeCredentialMaterial
  before(async () => {
    host = await Host.start()
    const account = await host.account()
    node = account.node
    apiKey = account.apiKey
    ada = host.credentials()
    await createClient({ baseUrl: host.url, credentials: node, apiKey }).createAgentNode(ada)
  })
  after(async () => { await host.end() })

  function world(wire: Wire): RemotePlayWorld {
    return new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node, fetch: wire.fetch, onWarning: () => undefined })
  }

  it('sends each option of addAgent to its place only', async () => {
    // The places of a text that is the option's value; a hash belongs in one header, a phrase nowhere.
    const hash = ['x-node-passw']
    const id = ['body.agentId', 'body.confirmNodeId', 'body.playerId', 'body.payload.playerId', 'x-node-id']
    const cases: [name: keyof AddAgentOptions, options: Partial<AddAgentOptions>, marks: [string, string[]][]][] = [
      ['agentPassphrase', { agentPassphrase: ada.phrase, nodeId: ada.nodeId }, [[ada.phrase, []], [ada.passwHash, hash]]],
      ['credentials', { credentials: { phrase: ada.phrase, rootKey: host.rootKey } }, [[ada.phrase, []], [ada.passwHash, hash]]],
      ['agentId', { agentId: ada.nodeId }, [[ada.nodeId, id]]],
      ['nodeId', { nodeId: ada.nodeId }, [[ada.nodeId, id]]],
      ['mainNodeId', { nodeId: ada.nodeId, mainNodeId: node.nodeId }, [[node.nodeId, ['body.mainNodeId', 'x-node-id']]]],
      ['version', { nodeId: ada.nodeId, version: 'marked-1' }, [['marked-1', []]]],
      ['createdAt', { nodeId: ada.nodeId, createdAt: new Date('2001-02-03'), updatedAt: new Date('2001-02-04') }, [['2001-02', []]]],
      ['realtimeInstructions', { nodeId: ada.nodeId, realtimeInstructions: 'marked-2' }, [['marked-2', ['body.realtimeInstructions']]]],
      ['type', { nodeId: ada.nodeId, type: 'marked-3' }, [['marked-3', ['body.type']]]],
      ['onLost', { nodeId: ada.nodeId, onLost: () => { throw new Error('marked-4') } }, [['marked-4', []]]],
    ]
    for (const [name, options, marks] of cases) {
      const wire = new Wire()
      const play = world(wire)
      try {
        await play.addAgent({ name: 'Ada', agent: { ...registration, ...stray }, ...options })
      } finally {
        await play.close()
      }
      for (const [text, allowed] of [...marks, [stray.strayPassword, []], [node.phrase, []]] as [string, string[]][]) {
        const places = wire.placesOf(text)
        assert.deepEqual(places.filter((place) => !allowed.includes(place)), [], `${name} left by ${places.join(', ')}`)
        assert.equal(places.length > 0, allowed.length > 0, `${name} did not arrive`)
      }
    }
  })

  it('uses the phrase of an agent', async () => {
    const wire = new Wire()
    const play = world(wire)
    await assert.rejects(play.addAgent({ name: 'Ada', agent: registration, nodeId: ada.nodeId, agentPassphrase: 'entirely wrong words' }), { status: 401 })
    await assert.rejects(play.addAgent({ name: 'Ada', agent: registration, agentPassphrase: ada.phrase, credentials: ada }), /credentials or agentPassphrase/u)
    const { playerId } = await play.addAgent({ name: 'Ada', agent: registration, agentPassphrase: ada.phrase })
    assert.equal(playerId, ada.nodeId)
    await play.close()
    assert.deepEqual([...wire.placesOf('entirely'), ...wire.placesOf(ada.phrase)], [])
  })

  it('refuses unknown options and sends nothing for them', async () => {
    const wire = new Wire()
    const play = world(wire)
    const client: WorldClient = await play.client()
    const base = { baseUrl: host.url, fetch: wire.fetch, ...stray }
    const onEvent = (): void => undefined
    await refused('createClient', () => createClient(base))
    await refused('RemotePlayWorld', () => new RemotePlayWorld({ ...base, apiKey }))
    await refused('RemotePlayWorld of agent-play', () => new AgentPlayWorld(base))
    await refused('connect', async () => connect(base))
    await refused('createMainNode', async () => createMainNode({ ...base, mainNodeCredentials: node }))
    await refused('PlayWorld.start', async () => PlayWorld.start({ ...stray } as object))
    await refused('addAgent', async () => play.addAgent({ name: 'Ada', agent: registration, nodeId: ada.nodeId, ...stray }))
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- programs still use it
    await refused('addPlayer', async () => play.addPlayer({ name: 'Ada', agent: registration, nodeId: ada.nodeId, ...stray }))
    await refused('agent', async () => play.agent('Ada', { chat: () => '', ...stray }))
    await refused('registerMcp', async () => play.registerMcp({ name: 'tools', ...stray }))
    await refused('ask', async () => play.ask({ to: ada.nodeId, text: 'hi', ...stray }))
    await refused('subscribeWorldState', async () => play.subscribeWorldState({ ...stray } as object))
    await refused('subscribeEvents', async () => play.subscribeEvents({ onEvent, ...stray }))
    await refused('subscribeIntercomCommands', async () => play.subscribeIntercomCommands({ execute: () => '', ...stray }))
    await refused('events', async () => play.events({ ...stray } as object).next())
    await refused('subscribeWorld', () => subscribeWorld(client, { ...stray } as object))
    await refused('subscribeEvents of a client', () => subscribeEvents(client, { onEvent, ...stray }))
    await refused('pastEvents', async () => pastEvents(client, { before: 1, limit: 1, ...stray }))
    const line = { playerId: ada.nodeId, role: 'assistant' as const, text: 'hi' }
    await refused('recordInteraction', async () => play.recordInteraction({ ...line, ...stray }))
    await refused('registerSpaceNode', async () => play.registerSpaceNode({ name: 'a', designKey: 'b', owner: { displayName: 'c' }, amenities: ['shop'], ...stray }))
    await refused('validate', async () => client.validate({ ...stray } as object))
    await refused('listEvents', async () => client.listEvents({ ...stray } as object))
    await play.close()
    assert.deepEqual(wire.placesOf('strayPassword').concat(wire.placesOf(stray.strayPassword)), [])
  })

  it('copies the listed fields of each request and of the objects in it', () => {
    for (const type of Object.keys(requestFields) as (keyof typeof requestFields)[]) {
      const fields = requestFields[type].split(' ').filter((field) => field !== '')
      const given = Object.fromEntries(fields.map((field) => [field.replace(/:.*/u, ''), field.includes(':') ? [{ ...stray }, { ...stray }] : 'x']))
      assert.doesNotMatch(JSON.stringify(requestOf(type, given)), /marked-secret/u, type)
      assert.deepEqual(requestOf(type, given), Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === 'x' ? value : [{}, {}]])), type)
      assert.throws(() => requestOf(type, { ...given, ...stray }), OptionError, type)
    }
  })

  it('leaves out unknown members inside the objects of a request', async () => {
    const wire = new Wire()
    const play = world(wire)
    await play.addAgent({ name: 'Ada', agent: registration, credentials: ada })
    const step = { type: 'origin' as const, content: 'hi', messageId: 'm', ...stray }
    await play.recordJourney(ada.nodeId, { startedAt: '2026-01-01T00:00:00Z', completedAt: '2026-01-01T00:00:00Z', steps: [step], ...stray })
    await play.close()
    assert.deepEqual(wire.placesOf(stray.strayPassword), [])
    assert.notDeepEqual(wire.placesOf('origin'), [])
  })
})
