import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ClosedError, PlayError, RemotePlayWorld, ReplyError, createClient, frameworkRegistration, hasCode, subscribeEvents,
} from '../src/index.js'
import type { NodeCredentialMaterial } from '../src/index.js'
import { callBack } from '../src/protocol/callback.js'
import { follow } from './follow.js'
import { Host, Reports } from './host.js'

const tools = frameworkRegistration('test', ['chat_tool'])
const once = { attempts: 1, baseMs: 1, maxMs: 1 }

/** Returns the `fetch` of a host whose responses a test sets. */
function answering(answer: (path: string, init: RequestInit) => Response | Promise<Response>): typeof fetch {
  return async (input, init = {}) => answer(new URL(input instanceof Request ? input.url : input).pathname, init)
}

/** Sends no response; rejects when its signal ends, as fetch does. */
async function silence(init: RequestInit): Promise<Response> {
  return new Promise((_resolve, reject) => {
    init.signal?.addEventListener('abort', () => { reject(new Error('the request was ended')) })
  })
}

describe('an exception of a program', () => {
  let host: Host
  let account: { node: NodeCredentialMaterial; apiKey: string }
  before(async () => {
    host = await Host.start()
    account = await host.account()
  })
  after(async () => { await host.end() })

  it('ends no subscription, whether it is thrown immediately or later', async () => {
    const client = createClient({ baseUrl: host.url, credentials: account.node, apiKey: account.apiKey })
    const errors = new Reports<Error>()
    const { updates, sub } = follow(client)
    await updates.until((u) => u.verification === 'verified')
    const fails = (text: string) => (): void => { throw new Error(text) }
    const failsLater = (text: string) => async (): Promise<void> => { await Promise.resolve(); throw new Error(text) }
    const onError = (error: Error): void => {
      errors.add(error)
      throw new Error('onError fails as well')
    }
    const broken = follow(client, {})
    const throwing = [
      subscribeEvents(client, { onEvent: fails('event'), onOpen: fails('open'), onError }),
      subscribeEvents(client, { onEvent: failsLater('later'), onError: failsLater('onError') }),
    ]
    await errors.until((error) => error.message === 'open')
    await broken.updates.until((u) => u.verification === 'verified')
    await client.registerMcp({ name: 'one' })
    await errors.until((error) => error.message === 'event')
    await client.registerMcp({ name: 'two' })
    await errors.until((error) => error.message === 'event', errors.all.findIndex((error) => error.message === 'event') + 1)
    await Promise.all([...throwing, sub, broken.sub].map(async (s) => s.close()))
  })

  it('ends no world, and is part of the error of its end', async () => {
    const world = new RemotePlayWorld({
      baseUrl: host.url, apiKey: account.apiKey, mainNodeCredentials: account.node,
      onWarning: () => { throw new Error('onWarning') },
    })
    const called: number[] = []
    world.onClose(() => { called.push(1); throw new Error('onClose') })
    world.onClose(() => { called.push(2) })
    const commands = await world.subscribeIntercomCommands({ execute: () => 'hi', onError: () => { throw new Error('onError') } })
    await commands.ready
    await assert.rejects(world.close(), (error) => error instanceof AggregateError && (error.errors as Error[])[0]?.message === 'onClose')
    assert.deepEqual(called, [1, 2])
  })

  it('is reported as an Error, whatever was thrown', async () => {
    const reported = new Reports<Error>()
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- programs do
    callBack(() => { throw 'a text' }, reported.add)
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- programs do
    callBack(async () => Promise.reject('another'), reported.add)
    assert.equal((await reported.until((error) => error.message === 'another')).name, 'Error')
    assert.deepEqual(reported.all.map((error) => error.message), ['a text', 'another'])
  })
})

describe('a world that is closed', () => {
  it('ends all pending calls, including those of its agents and its client', async () => {
    const registered = { playerId: 'a', previewUrl: '', registeredAgent: {}, connectionId: null, leaseTtlSeconds: null, enableP2a: 'off' }
    const asked = new Reports<string>()
    const world = new RemotePlayWorld({
      baseUrl: 'http://127.0.0.1:9', apiKey: 'k',
      fetch: answering((path, init) => {
        if (path.endsWith('/session')) return Response.json({ sid: 's', capabilities: ['idempotency'] })
        if (path.endsWith('/players')) return Response.json(registered)
        asked.add(path)
        return path.endsWith('/disconnect') ? Response.json({ ok: true }) : silence(init)
      }),
    })
    const agent = await world.addAgent({ name: 'A', agent: tools, nodeId: 'a', permanent: true })
    const client = await world.client()
    const ended = Promise.all([agent.say('hi'), client.listJourneys(), world.getWorldSnapshot()].map(async (call) => assert.rejects(call, ClosedError)))
    await asked.until(() => asked.all.length === 3)
    const own = new AbortController()
    const changed = assert.rejects(agent.say('hi', { signal: own.signal }), /changed my mind/u)
    await asked.until(() => asked.all.length === 4)
    own.abort(new Error('changed my mind'))
    await changed
    await world.close()
    await ended
    await assert.rejects(agent.say('more'), ClosedError)
    assert.equal(asked.all.at(-1), '/api/play/players/disconnect')
  })

  it('may end any number of calls at the same time without a warning from Node', async () => {
    const warnings = new Reports<Error>()
    process.on('warning', warnings.add)
    const world = new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch: answering(async (_path, init) => silence(init)) })
    const own = new AbortController()
    const calls = Array.from({ length: 30 }, async (_, i) => assert.rejects(world.getWorldSnapshot(i % 2 === 0 ? {} : { signal: own.signal })))
    await Promise.resolve(world.client())
    own.abort()
    await world.close()
    await Promise.all(calls)
    await new Promise((resolve) => { setImmediate(resolve) })
    process.off('warning', warnings.add)
    assert.deepEqual(warnings.all, [])
  })

  it('resolves ready and done of its command subscriptions', async () => {
    const world = new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch: answering(async (_path, init) => silence(init)) })
    const commands = await world.subscribeIntercomCommands({ execute: () => '' })
    await Promise.all([world.close(), commands.ready, commands.done])
  })
})

describe('the session', () => {
  it('is fetched once for all callers, and one aborted call fails no other', async () => {
    let fetched = 0
    const first = new AbortController()
    const started = new Reports<number>()
    const client = createClient({
      baseUrl: 'http://127.0.0.1:9', credentials: { nodeId: 'n', passwHash: 'first' },
      fetch: answering((path, init) => {
        if (!path.endsWith('/session')) return Response.json({ ok: true })
        started.add(++fetched)
        const who = new Headers(init.headers).get('x-node-passw')
        if (who === 'first') return silence(init)
        if (who === 'second') return Response.json({ error: 'no', code: 'credentials_invalid' }, { status: 401 })
        return Response.json({ sid: 's' })
      }),
    })
    const as = (passwHash: string) => client.as({ nodeId: 'n', passwHash })
    const line = { playerId: 'a', role: 'user', text: 'x' } as const
    const ended = assert.rejects(client.recordInteraction(line, { signal: first.signal }), /changed my mind/u)
    await started.until(() => true)
    const refused = assert.rejects(as('second').recordInteraction(line), (error) => error instanceof PlayError && error.status === 401)
    const third = [as('third').recordInteraction(line), as('third').recordInteraction(line)]
    const gone = assert.rejects(as('third').recordInteraction(line, { signal: AbortSignal.abort(new Error('gone')) }), /gone/u)
    await gone
    first.abort(new Error('changed my mind'))
    await Promise.all([ended, refused, ...third])
    assert.equal(fetched, 3)
  })

  it('does not block the call that fetches it', async () => {
    const client = createClient({
      baseUrl: 'http://127.0.0.1:9', retry: { attempts: 2, baseMs: 1, maxMs: 2 },
      fetch: answering(() => Response.json({ error: 'no', code: 'behind' }, { status: 503 })),
    })
    await assert.rejects(client.registerMcp({ name: 'x' }), (error) => hasCode(error, 'behind'))
  })

  it('is fetched once for all waiting calls if the host cannot be reached', async () => {
    let fetched = 0
    const client = createClient({
      baseUrl: 'http://127.0.0.1:9', retry: { attempts: 3, baseMs: 1, maxMs: 2 },
      fetch: async () => { fetched++; return Promise.reject(new TypeError('fetch failed')) },
    })
    const withoutRetry = client.withRetry(once)
    await Promise.all([withoutRetry, ...Array.from({ length: 5 }, () => client)].map(async (caller) => assert.rejects(caller.registerMcp({ name: 'x' }), /cannot reach/u)))
    assert.equal(fetched, 1 + 3)
  })
})

describe('a reply', () => {
  const latin1 = Uint8Array.of(0x3c, 0xe4, 0x3e)
  it('of a proxy in another encoding is an error with its status', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', fetch: answering(() => new Response(latin1, { status: 403 })) })
    await assert.rejects(client.session(), (error) => error instanceof PlayError && error.status === 403 && error.code === 'forbidden' && error.stated.code === '')
  })
  it('that is not UTF-8 is a ReplyError', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', retry: once, fetch: answering(() => new Response(latin1)) })
    await assert.rejects(client.session(), (error) => error instanceof ReplyError && error.message.endsWith('it is not UTF-8'))
  })
})

describe('an unreachable host', () => {
  it('is retried at the stated time, with the delays that the program sets', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', fetch: async () => Promise.reject(new TypeError('fetch failed')) })
    const { sub, states } = follow(client.withRetry(once), { reconnect: { baseMs: 2, maxMs: 4 } })
    const first = await states.until((state) => state.retryAt !== undefined)
    const [tried, again] = [states.all.indexOf(first), Date.now() + 4]
    assert.ok(!first.connected && first.lastError !== undefined && (first.retryAt ?? 0) <= again)
    await states.until((state) => state.retryAt === undefined, tried)
    await states.until((state) => state.retryAt !== undefined && state.retryAt !== first.retryAt, tried)
    await sub.close()
    assert.equal(sub.state.retryAt, undefined)
  })
})
