// Protocol, "Authentication and rights": API keys, under each policy.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, keepSecret, refused } from './lib/client.mjs'
import { is } from './lib/rows.mjs'
import { main, openWorld, register } from './lib/world.mjs'

const session = (world, key) => world.host.call('GET', '/session', { as: world.owner, key })
const mcp = (world, key) =>
  world.host.call('POST', '/mcp/register', { as: world.owner, sid: world.sid, key, body: { name: 'm' } })
const player = (world, key, changes) => register(world.host, world.sid, world.agent, changes, { key })
const routes = { session, mcp, player }

test('required: session, placement and player need the key of the account', async (t) => {
  const world = await openWorld()
  const other = await main(world.host, 2)
  for (const [name, call] of Object.entries(routes)) {
    await t.test(name, async () => {
      refused(await call(world, null), 401, 'api_key_invalid')
      refused(await call(world, 'wrong'), 401, 'api_key_invalid')
      refused(await call(world, other.apiKey), 401, 'api_key_invalid')
      granted(await call(world, world.owner.apiKey))
    })
  }
  await t.test('an agent sends the key of its owner', async () => {
    granted(await world.host.call('GET', '/session', { as: world.agent }))
    refused(
      await world.host.call('GET', '/session', { as: { ...world.agent, apiKey: other.apiKey } }),
      401,
      'api_key_invalid'
    )
  })
  await t.test('the body of a registration may contain the key, the header takes precedence', async () => {
    granted(await player(world, null, { apiKey: world.owner.apiKey }))
    refused(await player(world, null, { apiKey: 'wrong' }), 401, 'api_key_invalid')
    refused(await player(world, 'wrong', { apiKey: world.owner.apiKey }), 401, 'api_key_invalid')
    granted(await player(world, world.owner.apiKey, { apiKey: 'wrong' }))
  })
  await t.test('no other route requires the key', async () => {
    const { host, owner, agent, sid } = world
    granted(await player(world, undefined, { connectionId: 'c' }))
    const as = { ...agent, apiKey: 'wrong' }
    granted(await host.call('GET', '/snapshot', { as, sid }))
    granted(await host.rpc('getWorldSnapshot', {}, { as }))
    granted(await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'x' }, { as, sid }))
    granted(
      await host.call('POST', '/players/heartbeat', { as, sid, body: { playerId: agent.nodeId, connectionId: 'c' } })
    )
    granted(await host.call('POST', '/players/disconnect', { as, sid, body: { playerId: agent.nodeId } }))
    granted(await host.call('GET', '/api/agents', { as: { ...owner, apiKey: 'wrong' } }))
    granted(await host.call('POST', '/api/nodes/validate', { as, body: {} }))
  })
  await t.test('a new key replaces the old immediately', async () => {
    const { host, owner, agent } = world
    refused(await host.call('POST', '/api/nodes/api-key', { as: agent, body: {} }), 403, 'forbidden')
    const { apiKey } = granted(
      await host.call('POST', '/api/nodes/api-key', { as: { ...owner, apiKey: null }, body: {}, reveals: true }),
      { apiKey: is.named }
    )
    keepSecret(apiKey)
    assert.notEqual(apiKey, owner.apiKey)
    refused(await session(world, owner.apiKey), 401, 'api_key_invalid')
    granted(await session(world, apiKey))
    await host.kill()
    await host.start()
    refused(await session(world, owner.apiKey), 401, 'api_key_invalid')
    granted(await session(world, apiKey))
  })
})

test('optional: no key is accepted, a wrong key is refused', async () => {
  const world = await openWorld('--api-keys', 'optional')
  for (const call of Object.values(routes)) {
    granted(await call(world, null))
    refused(await call(world, 'wrong'), 401, 'api_key_invalid')
    granted(await call(world, world.owner.apiKey))
  }
  refused(await player(world, null, { apiKey: 'wrong' }), 401, 'api_key_invalid')
})

test('off: no key is checked', async () => {
  const world = await openWorld('--api-keys', 'off')
  for (const call of Object.values(routes)) {
    granted(await call(world, null))
    granted(await call(world, 'wrong'))
  }
})
