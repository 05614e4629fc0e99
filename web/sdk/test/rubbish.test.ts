import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OptionError, RemotePlayWorld, UnreachableError, canonicalJson, frameworkRegistration } from '../src/index.js'
import type { AddAgentOptions, IntercomOptions } from '../src/index.js'
import { type Random, below, oneOf, random, someJson, someText } from './random.js'

const tools = frameworkRegistration('test', ['chat_tool'])
const journey = { startedAt: '', completedAt: '', steps: [] }

/** Returns a valid or invalid reply of a route. */
function someReply(next: Random): unknown {
  return oneOf<unknown>(next,
    { sid: oneOf<unknown>(next, 's', 's', 's', 't', 7), rev: 1, seq: 1, capabilities: oneOf<unknown>(next, ['resume', 'chain-nodes', 'chain-at-rev'], [1], 'x') },
    { playerId: 'a', registeredAgent: {}, connectionId: 'c', leaseTtlSeconds: oneOf<unknown>(next, 5, null, -1, 'x') },
    { snapshot: { sid: 's', mainNodeId: 'm', rev: below(next, 9), seq: below(next, 9), worldMap: { bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 }, occupants: [] }, spaces: [], mcpServers: [] } },
    { ok: true, id: 'i', leaseTtlSeconds: 5 }, { error: 'no', code: oneOf(next, 'sid_invalid', 'behind', 'x') }, { node: someJson(next) }, { nodes: [someJson(next)] }, someJson(next))
}

/** Returns an event, or a part of one. */
function someFrame(next: Random): string {
  const row = { kind: 'agent', nodeId: 'n', agentId: 'a', name: 'A', x: below(next, 9), y: 1 }
  const key = oneOf(next, 'agent:n:a', 'agent:n:b', 'nonsense')
  const data = oneOf<unknown>(next, { text: 'x', rev: 2 },
    { rev: below(next, 9), merkleRootHex: 'x', merkleLeafCount: 3, playerChainNotify: { updatedAt: 'now', nodes: [{ stableKey: key, leafIndex: 2 }] }, playerChainNodes: [{ kind: 'occupant', stableKey: key, removed: false, occupant: row }] },
    { status: 'forwarded', requestId: someText(next), fromPlayerId: 'a', toPlayerId: 'h', command: oneOf<unknown>(next, { requestId: 'r', mainNodeId: 'm', fromPlayerId: 'h', toPlayerId: 'a', kind: 'chat', text: 'hi' }, someJson(next)) },
    someJson(next))
  const kind = oneOf(next, 'world:intercom', 'world:player_added', 'session:reset', 'session:resync', 'x')
  return oneOf(next, `id: ${below(next, 99)}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`, `id: ${below(next, 9)}\n\n`, `event: ${kind}\ndata: {\n\n`, 'retry: 0\n\n')
}

/** Returns the `fetch` of a host that violates the protocol in every way. */
function brokenFetch(next: Random): typeof fetch {
  return async (input, init = {}) => {
    await Promise.resolve()
    init.signal?.throwIfAborted()
    const fate = next()
    if (fate < 0.1) throw new TypeError('fetch failed')
    if (fate < 0.15) {
      return new Promise((_resolve, reject) => {
        init.signal?.addEventListener('abort', () => { reject(new Error('ended')) })
      })
    }
    const address = input instanceof Request ? input.url : input.toString()
    const status = fate < 0.7 ? 200 : oneOf(next, 204, 302, 400, 401, 403, 404, 409, 429, 500, 503)
    const headers = { 'content-type': oneOf(next, 'application/json', 'text/event-stream'), 'x-play-rev': oneOf(next, '3', 'x', '1e99'), 'retry-after': oneOf(next, '0', 'x') }
    if (status === 204) return new Response(null, { status, headers })
    if (!address.includes('/events') || fate < 0.2) return new Response(fate < 0.25 ? '{"sid":' : JSON.stringify(someReply(next)), { status, headers })
    const frames = Array.from({ length: below(next, 20) }, () => someFrame(next)).join('')
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(frames))
        if (next() < 0.3) controller.error(new TypeError('terminated'))
        else if (next() < 0.5) controller.close()
        init.signal?.addEventListener('abort', () => { try { controller.error(new Error('ended')) } catch { /* it was closed */ } })
      },
    })
    return new Response(stream, { status, headers: { ...headers, 'content-type': 'text/event-stream' } })
  }
}

/** Makes every call that a world has, and returns the outcomes. */
async function callEverything(world: RemotePlayWorld, next: Random): Promise<PromiseSettledResult<unknown>[]> {
  const fails = () => { if (next() < 0.2) throw new Error('the program fails') }
  const agent = await world.addAgent({ name: 'A', agent: tools, nodeId: 'a', onLost: fails }).catch(() => undefined)
  return Promise.allSettled([
    world.connect(), world.getWorldSnapshot(), world.getPlayerChainNode('agent:n:a'), world.registerMcp({ name: 'm' }), world.unregisterMcp('i'),
    world.recordInteraction({ playerId: 'a', role: 'user', text: 'x' }), world.recordJourney('a', journey), world.deleteAgentNode('b'),
    world.subscribeWorldState({ onEvent: fails, onSnapshot: fails, onState: fails, onChecked: fails, onError: fails, inline: next() < 0.5 }),
    world.subscribeEvents({ onEvent: fails, onError: fails }), world.subscribeIntercomCommands({ execute: () => { fails(); return 'x' }, onError: fails }),
    agent?.say('x'), agent?.disconnect(), world.ask({ to: 'a', text: 'x', signal: AbortSignal.timeout(50) }),
  ])
}

describe('malformed input', () => {
  it('from a host causes no unexpected error, and every world can be closed', async () => {
    const next = random(Number(process.env.PLAYCTL_TEST_SEED ?? 14))
    const settled: PromiseSettledResult<unknown>[] = []
    // Few at a time: if all ran at the same time on a slow machine, they would exceed their time limits.
    await Promise.all(Array.from({ length: 5 }, async () => {
      for (let i = 0; i < 20; i++) {
        const world = new RemotePlayWorld({
          baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch: brokenFetch(next), retry: { attempts: 2, baseMs: 1, maxMs: 2 }, timeoutMs: 100,
          onWarning: () => { if (next() < 0.2) throw new Error('the program fails') },
        })
        world.onClose(() => { if (next() < 0.2) throw new Error('the program fails') })
        settled.push(...await callEverything(world, next))
        await world.close().catch((error: unknown) => { assert.ok(error instanceof AggregateError) })
      }
    }))
    const reasons = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    // A TypeError would be an error in the client, such as a call of undefined; an OptionError is one by its class.
    for (const reason of reasons) {
      assert.ok(reason instanceof Error && !(reason instanceof TypeError && !(reason instanceof OptionError)), reason instanceof Error ? reason.stack : canonicalJson(String(reason)))
    }
    assert.ok(reasons.some((reason) => reason instanceof UnreachableError) && reasons.length < 0.9 * settled.length, `${reasons.length} of ${settled.length} failed`)
  })

  it('from a program is refused with an OptionError', async () => {
    const world = new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k', fetch: brokenFetch(random(1)) })
    for (const options of [{}, { name: 'A' }, { name: 7, agent: tools }, { name: 'A', agent: tools }, { name: 'A', agent: 'x', nodeId: 'a' }]) {
      await assert.rejects(world.addAgent(options as unknown as AddAgentOptions), OptionError)
    }
    for (const options of [{}, { execute: () => '', timeoutMs: -1 }, { execute: () => '', concurrency: 0 }, { execute: 'x' }]) {
      await assert.rejects(world.subscribeIntercomCommands(options as unknown as IntercomOptions), OptionError)
    }
    for (const given of [undefined, 'chat_tool', [undefined], [{}], [7], ['chat_tool', { name: 'x', parameters: 7 }]]) {
      assert.throws(() => frameworkRegistration('t', given as unknown as string[]), OptionError)
    }
    await world.close()
  })
})
