import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RemotePlayWorld, createClient } from '../src/index.js'
import { Host } from './host.js'

describe('keys and labels of an account', () => {
  let host: Host
  before(async () => { host = await Host.start() })
  after(async () => { await host.end() })

  it('several keys are valid at the same time, and each is revoked on its own', async () => {
    const { node, apiKey } = await host.account()
    const client = createClient({ baseUrl: host.url, credentials: node, apiKey })
    const session = (key: string) => createClient({ baseUrl: host.url, credentials: node, apiKey: key }).session()
    const winter = await client.addApiKey('winter', 3600)
    const spring = await client.addApiKey('spring')
    assert.equal(winter.name, 'winter')
    assert.ok(winter.expiresAt !== undefined && spring.expiresAt === undefined)
    for (const key of [apiKey, winter.apiKey, spring.apiKey]) await session(key)
    await assert.rejects(client.addApiKey('winter'), { status: 409, code: 'api_key_exists' })
    const { keys } = await client.apiKeys()
    assert.equal(keys[0]?.name, 'default')
    assert.deepEqual(keys.map(({ name }) => name).sort(), ['default', 'spring', 'winter'])

    assert.equal((await client.revokeApiKey('winter')).ok, true)
    assert.equal((await client.revokeApiKey('winter')).ok, false)
    await assert.rejects(session(winter.apiKey), { status: 401, code: 'api_key_invalid' })
    await session(spring.apiKey)

    // Only the default key is replaced.
    const replaced = await client.createApiKey()
    await assert.rejects(session(apiKey), { status: 401 })
    for (const key of [replaced.apiKey, spring.apiKey]) await session(key)
  })

  it('a revocation that other hosts have not confirmed is a warning', async (t) => {
    const { node, apiKey } = await host.account()
    const hosts: number[] = []
    const warnings: string[] = []
    let late: string | undefined
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const answer = await globalThis.fetch(input, init)
      if (init?.method !== 'DELETE' || late === undefined) return answer
      const headers = new Headers(answer.headers)
      headers.set('x-play-unconfirmed-hosts', late)
      return new Response(await answer.text(), { status: answer.status, headers })
    }
    const client = createClient({ baseUrl: host.url, credentials: node, apiKey, fetch, onUnconfirmed: (n) => { hosts.push(n); throw new Error('dropped') } })
    const quiet = createClient({ baseUrl: host.url, credentials: node, apiKey, fetch })
    const { mock: printed } = t.mock.method(console, 'warn', () => undefined)
    for (const [header, want] of [[undefined, 0], ['0', 0], ['-1', 0], ['x', 0], ['99999999999999999999', 0], ['2', 2], ['1', 1]] as const) {
      late = undefined
      await client.addApiKey('ci')
      await quiet.addApiKey('cd')
      late = header
      hosts.length = 0
      printed.resetCalls()
      assert.equal((await client.revokeApiKey('ci')).ok, true)
      assert.equal((await quiet.revokeApiKey('cd')).ok, true)
      assert.deepEqual(hosts, want === 0 ? [] : [want], `with ${header}`)
      assert.equal(printed.callCount(), want === 0 ? 0 : 1, `with ${header}`)
    }
    const world = new RemotePlayWorld({ baseUrl: host.url, apiKey, mainNodeCredentials: node, fetch, onWarning: (text) => { warnings.push(text) } })
    assert.equal(await world.deleteAgentNode(await world.createAgentNode(host.credentials())), true)
    await world.close()
    assert.deepEqual(warnings, ['a host of the world has not confirmed a deletion or revocation: until then what is gone may be accepted there'])
  })

  it('a label is set, refused to a second agent, and removed', async () => {
    const { node, apiKey } = await host.account()
    const client = createClient({ baseUrl: host.url, credentials: node, apiKey })
    const agents = [host.credentials(), host.credentials()]
    for (const agent of agents) await client.createAgentNode(agent)
    const [first, second] = agents.map(({ nodeId }) => nodeId) as [string, string]
    assert.deepEqual(await client.labelNode(first, 'Ada'), { nodeId: first, label: 'Ada' })
    await assert.rejects(client.labelNode(second, 'Ada'), { status: 409, code: 'label_exists' })
    assert.deepEqual(await client.labelNode(first, ''), { nodeId: first, label: '' })
    assert.equal((await client.labelNode(second, 'Ada')).label, 'Ada')
    const stranger = await host.account()
    const other = createClient({ baseUrl: host.url, credentials: stranger.node, apiKey: stranger.apiKey })
    await assert.rejects(other.labelNode(first, 'mine'), { status: 403 })
  })
})
