import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inspect } from 'node:util'
import { createClient } from '../src/index.js'
import { Host } from './host.js'

describe('tokens for the watch page', () => {
  let host: Host
  before(async () => { host = await Host.start('--watch-access', 'token', '--watch-embed', 'https://site.example') })
  after(async () => { await host.end() })

  it('can be made, listed and revoked one by one', async () => {
    const { node, apiKey } = await host.account()
    const client = createClient({ baseUrl: host.url, credentials: node, apiKey })
    const { token, url } = await client.watchToken()
    await client.watchToken()
    assert.ok(url.endsWith('/play/watch'))
    const { tokens } = await client.watchTokens()
    assert.equal(tokens.length, 2)
    const enter = () => createClient({ baseUrl: host.url }).watchSession(token)
    assert.equal((await enter()).scope, 'act')
    const id = tokens[0]?.id ?? ''
    assert.equal((await client.revokeWatchToken(id)).ok, true)
    assert.equal((await client.revokeWatchToken(id)).ok, false)
    assert.deepEqual((await client.watchTokens()).tokens, tokens.slice(1))
    await assert.rejects(enter(), { status: 401 })
  })
  it('give passes to watch, which a client sends and does not expose', async () => {
    const { node, apiKey } = await host.account()
    const { token } = await createClient({ baseUrl: host.url, credentials: node, apiKey }).watchToken()
    const { pass, scope } = await createClient({ baseUrl: host.url }).watchPass(token)
    assert.equal(scope, 'watch')
    const watching = createClient({ baseUrl: host.url, credentials: { pass } })
    assert.ok((await watching.snapshot()).sid)
    await assert.rejects(watching.intercomCommand({ requestId: 'r', mainNodeId: node.nodeId, fromPlayerId: '__human__', toPlayerId: 'a', kind: 'chat', text: 'Hello' }), { status: 403 })
    const passes: string[] = []
    const later = createClient({ baseUrl: host.url, credentials: { pass: () => passes[0] } })
    await assert.rejects(later.snapshot(), { status: 401 })
    passes.push(pass)
    assert.ok((await later.snapshot()).sid)
    assert.ok(!inspect(watching, { depth: 9, showHidden: true }).includes(pass))
  })
})
