import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type JsonObject, OptionError, RemotePlayWorld, createClient, subscribeEvents } from '../src/index.js'
import { FakeHost, turns } from './fake.js'

const secret = 'the-first-line-of-a-secret'

describe('a client', () => {
  it('refuses invalid header values without showing them', async () => {
    const wrong = `${secret}\nand a second`
    const says = (error: unknown) => error instanceof OptionError && error.message.includes('line break') && !error.message.includes(secret)
    for (const options of [
      { credentials: { adminToken: wrong } }, { apiKey: wrong }, { registrationToken: wrong }, { credentials: { nodeId: 'n', passwHash: wrong } },
      { credentials: { nodeId: `n\n${secret}`, passwHash: 'x' } },
    ]) assert.throws(() => createClient({ baseUrl: 'http://127.0.0.1:9', ...options }), says)
    const client = new FakeHost().client({ credentials: { pass: () => wrong } })
    await assert.rejects(client.session(), says)
    const errors: Error[] = []
    const events = subscribeEvents(client, { onEvent: () => undefined, onError: (error) => { errors.push(error) } })
    await turns()
    await events.close()
    assert.ok(errors.length > 0 && errors.every(says))
    // White space around a value is not part of it.
    await new FakeHost().client({ credentials: { adminToken: `${secret}\n` } }).session()
  })

  it('refuses the address of a page or a route, and accepts a folder below which a host is served', () => {
    for (const path of ['/play/watch', '/below/agent-play/watch/', '/api/play', '/api/play/events', '/api/agents']) {
      assert.throws(() => createClient({ baseUrl: `http://127.0.0.1:9${path}` }), /page or of a route/u, path)
    }
    for (const path of ['', '/', '/below', '/watch', '/events/api']) createClient({ baseUrl: `http://127.0.0.1:9${path}` })
  })

  it('suggests the command that adds a key, not the one that replaces a key', () => {
    assert.throws(() => new RemotePlayWorld({ baseUrl: 'http://127.0.0.1:9', apiKey: ' ' }), /playctl key create NAME/u)
  })

  it('refuses values that JSON cannot represent, and sends nothing', async () => {
    const host = new FakeHost()
    const client = host.client()
    await client.session()
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const args of [{ n: 1n }, cycle] as unknown as JsonObject[]) {
      const asked = client.assistTool({ targetPlayerId: 'ada', toolName: 'assist_book', args })
      await assert.rejects(asked, (error) => error instanceof OptionError && error.message.startsWith('the body of POST /api/play/assist-tool cannot be JSON: '))
    }
    assert.equal(host.requests.all.length, 1)
  })

  it('replaces lone surrogates, as in a truncated text, and nothing else', async () => {
    const host = new FakeHost(({ route }) => route === '/assist-tool' ? Response.json({ requestId: 'r' }) : undefined)
    const texts = { '\ud83d': 'a\ude00 b\ud83d', whole: '\u{1F600}\ud7ff\ue000', quoted: '\\ud83d \\\\\ud83d "\n' }
    await host.client().assistTool({ targetPlayerId: 'ada', toolName: 'assist_book', args: texts })
    assert.deepEqual(host.requests.all.at(-1)?.payload.args, { '\ufffd': 'a\ufffd b\ufffd', whole: texts.whole, quoted: '\\ud83d \\\\\ufffd "\n' })
  })

  it('accepts Infinity as an unlimited timeout', async () => {
    const host = new FakeHost(async ({ signal }) => {
      await new Promise((resolve) => { setTimeout(resolve, 20) })
      signal?.throwIfAborted()
      return Response.json({ sid: 's' })
    })
    assert.equal((await host.client({ timeoutMs: Infinity }).session()).sid, 's')
  })

  it('sends its parameters on a platform without URLSearchParams.size', async (test) => {
    test.mock.getter(URLSearchParams.prototype, 'size', () => undefined as unknown as number)
    const host = new FakeHost()
    await host.client().heartbeat({ playerId: 'ada', connectionId: 'c' })
    assert.equal(host.requests.all.at(-1)?.url.searchParams.get('sid'), 's')
  })

  it('lists damaged rows of all pages, and does not repeat a request that needs one', async () => {
    const line = (seq: number) => ({ playerId: 'ada', role: 'user', text: 'hi', at: '2026-01-02T03:04:05.000Z', seq })
    const host = new FakeHost(({ route, payload }) => {
      if (route === 'listJourneys') return Response.json({ error: 'damaged', code: 'record_damaged' }, { status: 500 })
      if (route !== 'listInteractions') return undefined
      return payload.beforeSeq === undefined
        ? Response.json({ interactions: [line(9)], hasMore: true, damaged: [10] })
        : Response.json({ interactions: [line(5)], hasMore: false, damaged: [3, 4] })
    })
    const client = host.client({ retry: { attempts: 5, baseMs: 1, maxMs: 1 } })
    const { interactions, damaged } = await client.listInteractions()
    assert.deepEqual(interactions.map(({ seq }) => seq), [5, 9])
    assert.deepEqual(damaged, [3, 4, 10])
    await assert.rejects(client.listJourneys(), { status: 500, code: 'record_damaged' })
    assert.equal(host.requests.all.filter(({ route }) => route === 'listJourneys').length, 1)
  })
})
