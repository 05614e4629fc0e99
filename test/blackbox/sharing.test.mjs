// What an account shares: invitations, several API keys, labels; and the backup of a host
// that runs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, keepSecret, refused } from './lib/client.mjs'
import { accounts, rootKey } from './lib/host.mjs'
import { is } from './lib/rows.mjs'
import { admin, agentOf, main, openWorld, register } from './lib/world.mjs'

const invitations = '/api/nodes/invitations'
const stamp = (v) => typeof v === 'string' && !Number.isNaN(Date.parse(v)) && v.endsWith('Z')

const invite = async (host, as, body = {}) => {
  const reply = await host.call('POST', invitations, { as, body, reveals: true })
  const made = granted(reply, {
    id: is.named,
    token: is.named,
    rootKey: (v) => v === rootKey,
    expiresAt: stamp,
    uses: (v) => v === (body.uses ?? 1),
  })
  keepSecret(made.token)
  return made
}

const createAccount = (host, token, i) =>
  host.call('POST', '/api/nodes', {
    headers: token === undefined ? {} : { 'x-registration-token': token },
    body: { kind: 'main', ...accounts[i] },
    reveals: true,
  })

const listed = async (host, as) => granted(await host.call('GET', invitations, { as })).invitations

test('an invitation creates its number of accounts at a host with closed registration', async (t) => {
  const { host, owner } = await openWorld('--registration', 'closed')
  refused(await host.call('POST', invitations, { as: owner, body: {} }), 403, 'forbidden')
  refused(await host.call('POST', invitations, { body: {} }), 401, 'credentials_missing')
  const made = await invite(host, admin)

  await t.test('the root key is returned to the holder of the invitation', async () => {
    refused(await host.call('GET', '/bootstrap'), 401, 'credentials_missing')
    const headers = { 'x-registration-token': made.token }
    granted(await host.call('GET', '/bootstrap', { headers }), {
      rootKey: (v) => v === rootKey,
      registration: (v) => v === 'closed',
    })
  })
  await t.test('a refused registration does not use the invitation', async () => {
    refused(await createAccount(host, undefined, 2), 403, 'registration_closed')
    const stranger = { nodeId: 'a'.repeat(64), passwHash: accounts[2].passwHash }
    const headers = { 'x-registration-token': made.token }
    const body = { kind: 'main', ...stranger }
    refused(await host.call('POST', '/api/nodes', { headers, body }), 400, 'node_not_derivable')
    assert.equal((await listed(host, admin))[0].used, 0)
  })
  await t.test('a used invitation is refused', async () => {
    keepSecret(granted(await createAccount(host, made.token, 2)).apiKey)
    refused(await createAccount(host, made.token, 3), 403, 'invitation_used')
    const [one] = await listed(host, admin)
    assert.deepEqual([one.id, one.uses, one.used], [made.id, 1, 1])
    assert.ok(stamp(one.createdAt) && stamp(one.expiresAt) && !('token' in one) && !('createdBy' in one))
  })
  await t.test('a revoked invitation is refused', async () => {
    const other = await invite(host, admin, { uses: 5, expiresInSeconds: 3600 })
    const revoke = () => host.call('DELETE', invitations, { as: admin, query: { id: other.id } })
    assert.equal(granted(await revoke()).ok, true)
    assert.equal(granted(await revoke()).ok, false)
    refused(await createAccount(host, other.token, 3), 403, 'registration_closed')
  })
})

test('main nodes invite if the operator allows it, and list their own invitations', async () => {
  const { host, owner } = await openWorld('--main-nodes-invite')
  const other = await main(host, 2)
  const made = await invite(host, owner)
  const [one] = await listed(host, owner)
  assert.deepEqual([one.id, one.createdBy], [made.id, owner.nodeId])
  assert.deepEqual(await listed(host, other), [])
  assert.equal(granted(await host.call('DELETE', invitations, { as: other, query: { id: made.id } })).ok, false)
  assert.equal((await listed(host, admin)).length, 1)
})

test('several API keys are valid at the same time, and each is revoked or expires on its own', async () => {
  const { host, owner } = await openWorld()
  const path = '/api/nodes/api-keys'
  const session = (key) => host.call('GET', '/session', { as: owner, key })
  const add = async (body) => {
    const reply = await host.call('POST', path, { as: owner, body, reveals: true })
    if (reply.json?.apiKey) keepSecret(reply.json.apiKey)
    return reply
  }
  const { apiKey } = granted(await add({ name: 'winter', expiresInSeconds: 3600 }), {
    name: (v) => v === 'winter',
    apiKey: is.named,
    expiresAt: stamp,
  })
  refused(await add({ name: 'winter' }), 409, 'api_key_exists')
  const spring = granted(await add({ name: 'spring' }), { name: is.named, apiKey: is.named }).apiKey
  for (const key of [owner.apiKey, apiKey, spring]) granted(await session(key))
  const { keys } = granted(await host.call('GET', path, { as: owner }))
  assert.equal(keys[0].name, 'default')
  assert.deepEqual(keys.map(({ name }) => name).sort(), ['default', 'spring', 'winter'])
  assert.ok(keys.every((key) => !('apiKey' in key)))

  // The older route replaces the default one only.
  const replaced = await host.call('POST', '/api/nodes/api-key', { as: owner, body: {}, reveals: true })
  keepSecret(granted(replaced).apiKey)
  refused(await session(owner.apiKey), 401, 'api_key_invalid')
  granted(await session(apiKey))

  const revoke = (name) => host.call('DELETE', path, { as: owner, query: { name } })
  assert.equal(granted(await revoke('winter')).ok, true)
  assert.equal(granted(await revoke('winter')).ok, false)
  refused(await session(apiKey), 401, 'api_key_invalid')
  granted(await session(spring))
})

test('labels are returned on request to the account and the administrator', async () => {
  const { host, owner, agent, sid } = await openWorld()
  const second = await agentOf(host, owner, 2)
  const label = (as, body) => host.call('POST', '/api/nodes/label', { as, body })
  const secret = 'the miller at the brook'
  granted(await label(owner, { nodeId: agent.nodeId, label: secret }), {
    nodeId: (v) => v === agent.nodeId,
    label: (v) => v === secret,
  })
  granted(await label(owner, { label: 'home' }), { nodeId: (v) => v === owner.nodeId, label: is.named })
  refused(await label(owner, { nodeId: second.nodeId, label: secret }), 409, 'label_exists')
  refused(await label(agent, { label: 'me' }), 403, 'forbidden')
  const other = await main(host, 3)
  refused(await label(other, { nodeId: agent.nodeId, label: 'mine' }), 403, 'forbidden')
  refused(await label(owner, { nodeId: agent.nodeId, label: 'x'.repeat(65) }), 400, 'body_invalid', 'label')

  const query = { labels: 'true' }
  const of = (records) => records.find(({ agentId }) => agentId === agent.nodeId)
  assert.equal(of(granted(await host.call('GET', '/api/agents', { as: owner, query })).agents).label, secret)
  const nodes = granted(await host.call('GET', '/api/nodes', { as: owner, query }))
  assert.deepEqual([nodes.mainNode.label, of(nodes.agentNodes).label], ['home', secret])
  const all = granted(await host.call('GET', '/api/nodes', { as: admin, query: { ...query, all: 'true' } }))
  assert.equal(of(all.agentNodes).label, secret)

  // Nobody else meets one, nor who does not ask.
  granted(await register(host, sid, agent))
  for (const reply of [
    await host.call('GET', '/api/nodes', { as: owner }),
    await host.call('GET', '/api/agents', { as: owner }),
    await host.rpc('getWorldSnapshot', {}, { as: other }),
    await host.call('GET', '/api/nodes', { as: other, query }),
  ]) {
    granted(reply)
    assert.ok(!reply.text.includes(secret), reply.text)
  }
  assert.ok(!host.log.includes(secret) && host.servers.every((server) => !server.log.includes(secret)))

  granted(await label(owner, { nodeId: agent.nodeId, label: '' }))
  const without = granted(await host.call('GET', '/api/agents', { as: owner, query })).agents
  assert.ok(!('label' in of(without)))
  granted(await label(owner, { nodeId: second.nodeId, label: secret }))
})

test('only the administrator can back up a running host', async () => {
  const { host, owner } = await openWorld()
  refused(await host.call('GET', '/api/backup'), 401, 'credentials_missing')
  refused(await host.call('GET', '/api/backup', { as: owner }), 403, 'forbidden')
  const reply = await host.call('GET', '/api/backup', { as: admin, reveals: true })
  assert.equal(reply.status, 200)
  assert.match(reply.headers['content-type'], /^application\/octet-stream/)
  assert.ok(reply.text.length > 0)
})
