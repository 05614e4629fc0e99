// Protocol, "Authentication and rights": an owner's hash with an agent's id is a habit for one machine.

import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openWorld, register } from './lib/world.mjs'

async function calls({ host, owner, agent, sid }) {
  granted(await register(host, sid, agent, { connectionId: 'c' }, { as: owner }))
  const as = { ...agent, passwHash: owner.passwHash }
  return [
    await register(host, sid, agent, { connectionId: 'c' }, { as }),
    await host.call('POST', '/players/heartbeat', { as, sid, body: { playerId: agent.nodeId, connectionId: 'c' } }),
    await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'x' }, { as, sid }),
    await host.call('POST', '/players/disconnect', { as, sid, body: { playerId: agent.nodeId } }),
    await host.call('POST', '/api/nodes/validate', { as, body: {} })
  ]
}

test('on loopback the hash of the owner is accepted for its agent', async () => {
  for (const reply of await calls(await openWorld())) granted(reply)
})

test('beyond loopback the hash of the owner is refused for its agent', async () => {
  for (const reply of await calls(await openWorld('--listen', '0.0.0.0:0'))) refused(reply, 401, 'credentials_invalid')
})

test('beyond loopback the hash is accepted with --allow-owner-hash', async () => {
  for (const reply of await calls(await openWorld('--listen', '0.0.0.0:0', '--allow-owner-hash'))) granted(reply)
})
