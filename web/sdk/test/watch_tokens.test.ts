import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../src/index.js'
import { Host } from './host.js'

describe('tokens for the watch page', () => {
  let host: Host
  before(async () => { host = await Host.start('--watch-access', 'token') })
  after(async () => { await host.end() })

  it('are made, listed and revoked one by one', async () => {
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
})
