// Protocol, "Idempotency, and reading your own writes": a retry with the same key gets the first reply and changes nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, keepSecret, refused } from './lib/client.mjs'
import { accounts } from './lib/host.mjs'
import { is } from './lib/rows.mjs'
import { agentOf, headOf, main, newKey, openWorld, register, registration } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const other = await main(host, 2)

const mcp = (idempotency, body, options) =>
  host.call('POST', '/mcp/register', { as: owner, sid, idempotency, body, ...options })

test('a retry gets the first reply and changes nothing', async () => {
  const key = newKey()
  const first = granted(await mcp(key, { name: 'one' }))
  granted(await host.call('POST', '/mcp/unregister', { as: owner, sid, body: first }))
  const before = await headOf(host)
  assert.deepEqual(granted(await mcp(key, { name: 'one' })), first)
  assert.deepEqual(await headOf(host), before)
})

test('a retry is recognized before the sid is checked', async () => {
  const key = newKey()
  const first = granted(await mcp(key, { name: 'two' }))
  assert.deepEqual(granted(await mcp(key, { name: 'two' }, { sid: undefined })), first)
  assert.deepEqual(granted(await mcp(key, { name: 'two' }, { sid: newKey() })), first)
})

test('the same key for something else is a conflict', async () => {
  const key = newKey()
  granted(await mcp(key, { name: 'three' }))
  const before = await headOf(host)
  refused(await mcp(key, { name: 'four' }), 409, 'idempotency_conflict')
  refused(
    await host.call('POST', '/mcp/unregister', { as: owner, sid, idempotency: key, body: { name: 'three' } }),
    409,
    'idempotency_conflict'
  )
  refused(await mcp(key, { name: 'four' }, { sid: undefined }), 409, 'idempotency_conflict')
  refused(
    await host.call('DELETE', '/api/agents', { as: owner, query: { id: agent.nodeId }, idempotency: key }),
    409,
    'idempotency_conflict'
  )
  assert.deepEqual(await headOf(host), before)
})

test('keys of different callers are independent', async () => {
  const key = newKey()
  const mine = granted(await mcp(key, { name: 'five' }))
  const theirs = granted(await mcp(key, { name: 'five' }, { as: other }))
  assert.notEqual(mine.id, theirs.id)
})

test('a retry still needs credentials', async () => {
  const key = newKey()
  granted(await mcp(key, { name: 'six' }))
  refused(await mcp(key, { name: 'six' }, { as: undefined }), 401, 'credentials_missing')
  refused(
    await mcp(key, { name: 'six' }, { as: { ...owner, passwHash: accounts[5].passwHash } }),
    401,
    'credentials_invalid'
  )
})

test('a refusal does not store its key', async () => {
  const key = newKey()
  refused(await mcp(key, { name: 5 }), 400, 'body_invalid')
  refused(await mcp(key, { name: 'seven' }, { sid: newKey() }), 403, 'sid_invalid')
  granted(await mcp(key, { name: 'seven' }))
})

test('a command without a change stores its key too', async () => {
  const key = newKey()
  const leave = (idempotency) =>
    host.call('POST', '/players/disconnect', {
      as: agent,
      sid,
      idempotency,
      body: { playerId: agent.nodeId, connectionId: 'never' }
    })
  granted(await register(host, sid, agent))
  granted(await leave(key))
  granted(await register(host, sid, agent, { connectionId: 'never' }))
  granted(await leave(key))
  refused(
    await host.call('POST', '/players/disconnect', {
      as: agent,
      sid,
      idempotency: key,
      body: { playerId: agent.nodeId }
    }),
    409,
    'idempotency_conflict'
  )
})

test('a key is 1 to 128 visible characters', async () => {
  granted(await mcp('k'.repeat(128), { name: 'eight' }))
  assert.equal((await mcp('k'.repeat(129), { name: 'eight' })).status, 400)
  assert.equal((await mcp('two words', { name: 'eight' })).status, 400)
})

test('registration: a retry returns the same secret, to the same caller', async () => {
  const key = newKey()
  const create = (body) => host.call('POST', '/api/nodes', { idempotency: key, body, reveals: true })
  const first = granted(await create({ kind: 'main', ...accounts[3] }), { nodeId: is.hex, apiKey: is.named })
  keepSecret(first.apiKey)
  assert.deepEqual(granted(await create({ kind: 'main', ...accounts[3] })), first)
  refused(await create(accounts[3]), 409, 'idempotency_conflict')
  const stranger = await create({ kind: 'main', nodeId: accounts[3].nodeId, passwHash: accounts[4].passwHash })
  assert.ok(stranger.status >= 400 && !stranger.text.includes(first.apiKey), stranger.text)
  const session = await host.call('GET', '/session', { as: { ...accounts[3], ...first } })
  granted(session)
})

test('a retry returns the same new API key, across a restart', async () => {
  const key = newKey()
  const renew = () => host.call('POST', '/api/nodes/api-key', { as: other, idempotency: key, body: {}, reveals: true })
  const first = granted(await renew(), { apiKey: is.named })
  keepSecret(first.apiKey)
  await host.kill()
  await host.start()
  assert.deepEqual(granted(await renew()), first)
  other.apiKey = first.apiKey
})

test('a retry records nothing twice, also across a kill', async () => {
  const key = newKey()
  const say = () =>
    host.rpc(
      'recordInteraction',
      { playerId: agent.nodeId, role: 'user', text: 'once' },
      { as: agent, sid, idempotency: key }
    )
  const first = granted(await say(), { ok: (v) => v === true, seq: is.count })
  await host.kill()
  await host.start()
  assert.deepEqual(granted(await say()), first)
  const { interactions } = granted(await host.rpc('listInteractions', { playerId: agent.nodeId }, { as: agent }))
  assert.equal(interactions.filter((line) => line.text === 'once').length, 1)
})

test('every mutating route accepts a key', async () => {
  const twice = async (method, path, options) => {
    const idempotency = newKey()
    const send = () =>
      host.call(method, path, { idempotency, sid, nullable: ['connectionId', 'leaseTtlSeconds'], ...options })
    const first = granted(await send())
    const { seq } = await headOf(host)
    assert.deepEqual(granted(await send()), first, path)
    assert.equal((await headOf(host)).seq, seq, path)
    return first
  }
  await twice('POST', '/players', { as: agent, body: registration(agent, { name: 'Twice' }) })
  const { id } = await twice('POST', '/mcp/register', { as: owner, body: { name: 'twice' } })
  await twice('POST', '/mcp/unregister', { as: owner, body: { id } })
  await twice('POST', '/proximity-action', {
    as: owner,
    body: { fromPlayerId: '__human__', toPlayerId: agent.nodeId, action: 'zone' }
  })
  await twice('POST', '/assist-tool', {
    as: owner,
    body: { targetPlayerId: agent.nodeId, toolName: 'chat_tool', args: {} }
  })
  await twice('POST', '/players/disconnect', { as: agent, body: { playerId: agent.nodeId } })
  const { nodeId, passwHash } = accounts[4]
  await twice('POST', '/api/nodes/agent-node', {
    as: owner,
    body: { agentNodeId: nodeId, agentNodePasswHash: passwHash }
  })
  await twice('DELETE', '/api/agents', { as: owner, query: { id: nodeId } })
})

test('the retry of a self-deletion is refused with 401', async () => {
  const key = newKey()
  const erase = () =>
    host.call('DELETE', '/api/nodes', { as: other, idempotency: key, body: { confirmNodeId: other.nodeId } })
  await agentOf(host, other, 5)
  granted(await erase(), { ok: (v) => v === true, deletedAgentCount: (v) => v === 1 })
  refused(await erase(), 401, 'credentials_invalid')
})
