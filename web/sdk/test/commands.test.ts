import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../src/index.js'
import { Parts } from '../src/tools/parts.js'
import { FakeHost, type ReceivedRequest, chats, silence, turns } from './fake.js'

const credentials = { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) }

/** Refuses the parts of answers. */
const refuseParts = ({ payload }: ReceivedRequest) => (payload.status === 'stream' ? Response.json({ error: 'gone', code: 'request_unknown' }, { status: 400 }) : undefined)

// An unhandled rejection fails these tests, as it would end a program.
describe('a command', () => {
  it('sends parts that waited together in as many calls as they need', async () => {
    const sent: string[] = []
    const parts = new Parts(async (text) => {
      sent.push(text)
      await turns()
    })
    const given = ['a', '😀'.repeat(limits.maxIntercomTextBytes / 4), '€'.repeat(limits.maxIntercomTextBytes / 3)]
    for (const text of given) void parts.add(text)
    await parts.sent()
    assert.equal(sent.join(''), given.join(''))
    assert.ok(sent.every((text) => Buffer.byteLength(text) <= limits.maxIntercomTextBytes && Buffer.from(text).toString() === text))
  })

  it('accepts parts that are not awaited even if the host refuses them', async () => {
    const host = new FakeHost(refuseParts)
    const late: (() => void)[] = []
    await using world = host.world()
    const ada = await world.agent('Ada', {
      credentials,
      onError: () => undefined,
      chat: ({ stream }) => {
        void stream('one')
        late.push(() => { void stream('two') })
        return 'done'
      },
    })
    host.ask(ada.id)
    await host.requests.until(({ payload }) => payload.status === 'failed')
    for (const say of late) say()
    await turns()
  })

  it('is answered in parts by an executor that awaits none of them', async () => {
    const host = new FakeHost(refuseParts)
    await using world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    const late: (() => void)[] = []
    const commands = await world.subscribeIntercomCommands({
      execute: ({ stream }) => {
        void stream({ message: 'one' })
        late.push(() => { void stream({ message: 'two' }) })
        return 'done'
      },
    })
    await commands.ready
    host.ask('ada')
    await host.requests.until(({ payload }) => payload.status === 'completed')
    await turns()
    for (const say of late) say()
  })

  it('is executed once after its agent was added again, and never after it left', async () => {
    const host = new FakeHost()
    await using world = host.world()
    const runs: string[] = []
    const program = (name: string) => ({ credentials, chat: () => String(runs.push(name)) })
    const first = await world.agent('Ada', program('first'))
    await first.disconnect()
    await turns()
    assert.equal(host.streams.size, 0)
    await world.agent('Ada', program('second'))
    const last = await world.agent('Ada', program('third'))
    await turns()
    assert.equal(host.streams.size, 1)
    host.ask(last.id)
    await host.requests.until(({ payload }) => payload.status === 'completed')
    await turns()
    assert.deepEqual(runs, ['third'])
  })

  it('arrives over one stream for all agents of a node', async () => {
    const host = new FakeHost()
    await using world = host.world()
    for (const nodeId of ['ada', 'bo', 'cy']) await world.addAgent({ name: nodeId, nodeId, agent: chats })
    const commands = await world.subscribeIntercomCommands({ execute: ({ agent }) => agent.name })
    await commands.ready
    assert.equal(host.streams.size, 1)
    for (const [i, id] of ['ada', 'cy'].entries()) {
      host.ask(id, `r${i}`, 6 + i)
      assert.equal((await host.requests.until(({ payload }) => payload.requestId === `r${i}`)).payload.message, id)
    }
  })

  it('waits in a bounded queue until it runs or another program answers it', async () => {
    const host = new FakeHost()
    await using world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    const started: string[] = []
    let finish: ((answer: string) => void) | undefined
    const commands = await world.subscribeIntercomCommands({
      concurrency: 1,
      execute: async ({ command }) => {
        started.push(command.requestId)
        return new Promise<string>((resolve) => { finish = resolve })
      },
    })
    await commands.ready
    for (let i = 0; i < 1026; i++) host.ask('ada', `r${i}`, 6 + i)
    const refused = await host.requests.until(({ route }) => route === 'intercomResponse')
    assert.deepEqual([refused.payload.requestId, refused.payload.status], ['r1025', 'failed'])
    assert.match(String(refused.payload.error), /too much to do/u)
    host.answered('ada', 'r1', 1032)
    host.ask('ada', 'last', 1033)
    await turns()
    assert.deepEqual(started, ['r0'])
    finish?.('done')
    await host.requests.until(({ payload }) => payload.status === 'completed')
    await turns()
    assert.deepEqual(started, ['r0', 'r2'])
    assert.deepEqual(host.requests.all.filter(({ payload }) => payload.status === 'failed').map(({ payload }) => payload.requestId), ['r1025'])
  })

  it('may take unlimited time with an infinite timeout', async () => {
    const host = new FakeHost()
    await using world = host.world()
    await world.addAgent({ name: 'Ada', nodeId: 'ada', agent: chats })
    const commands = await world.subscribeIntercomCommands({
      timeoutMs: Infinity,
      execute: async () => new Promise<string>((resolve) => { setTimeout(resolve, 20, 'done') }),
    })
    await commands.ready
    host.ask('ada')
    assert.equal((await host.requests.until(({ route }) => route === 'intercomResponse')).payload.status, 'completed')
  })

  it('reaches agents at a host of the agent-play service that sends no headers before its first event', async (test) => {
    const host = new FakeHost((received) => (received.route.endsWith('/events') ? silence(received) : undefined))
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const world = host.world({ service: 'agent-play', mainNodeCredentials: credentials })
    const added = world.agent('Ada', { credentials: { ...credentials, nodeId: 'c'.repeat(64) } })
    await host.requests.until(({ route }) => route.endsWith('/events'))
    await turns()
    test.mock.timers.tick(500)
    assert.equal((await added).name, 'Ada')
    await world.close()
  })

  it('stops waiting for a stream when the call that adds the agent is aborted', async () => {
    const host = new FakeHost((received) => (received.route === '/events' ? silence(received) : undefined))
    await using world = host.world({ mainNodeCredentials: credentials })
    const ending = new AbortController()
    const added = world.agent('Ada', { credentials: { ...credentials, nodeId: 'c'.repeat(64) } }, { signal: ending.signal })
    await host.requests.until(({ route }) => route === '/events')
    ending.abort(new Error('changed my mind'))
    await assert.rejects(added, /changed my mind/u)
  })
})
