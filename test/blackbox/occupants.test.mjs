// Protocol, "The snapshot and its rows": the map and how many fit on it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { byBytes, chainOf, occupantKey } from './lib/chain.mjs'
import { accounts, rootKey } from './lib/host.mjs'
import { readSnapshot } from './lib/rows.mjs'
import { headOf, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const addPlacement = (name) => host.call('POST', '/mcp/register', { as: owner, sid, body: { name } })

test('an empty world has a valid snapshot', async () => {
  const snapshot = readSnapshot(await snapshotOf(host, owner))
  assert.deepEqual([snapshot.sid, snapshot.mainNodeId, snapshot.merkleLeafCount], [sid, rootKey, 2])
  assert.deepEqual(chainOf(snapshot, rootKey).merkleRootHex, snapshot.merkleRootHex)
})

test('100 occupants fit, each in its own cell, in the order of the chain', async () => {
  granted(await register(host, sid, agent))
  const names = Array.from({ length: 99 }, (_, i) => `m${i} \u{1F600}`)
  for (const reply of await Promise.all(names.map(addPlacement))) granted(reply)
  const before = await headOf(host)
  refused(await addPlacement('one too many'), 400, 'occupant_limit')
  assert.deepEqual(await headOf(host), before)

  const snapshot = readSnapshot(granted(await host.call('GET', '/snapshot', { as: owner, sid })))
  const keys = snapshot.worldMap.occupants.map(occupantKey)
  assert.equal(keys.length, 100)
  assert.deepEqual(keys, [...keys].sort(byBytes))
  assert.deepEqual(chainOf(snapshot, rootKey), { merkleRootHex: snapshot.merkleRootHex, merkleLeafCount: 102 })
  assert.deepEqual(snapshot, await snapshotOf(host, owner))
})

test('a full map accepts changes, and new occupants for freed cells', async () => {
  granted(await addPlacement(`m0 \u{1F600}`))
  granted(await register(host, sid, agent, { name: 'Still here' }))
  granted(await host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } }))
  granted(await addPlacement('in its place'))
  refused(await register(host, sid, agent), 400, 'occupant_limit')
})

test('an occupant keeps its cell while others change, also across a restart', async () => {
  const cells = async () =>
    new Map((await snapshotOf(host, owner)).worldMap.occupants.map((row) => [row.id, [row.x, row.y]]))
  const before = await cells()
  const [first, ...rest] = before.keys()
  granted(await host.call('POST', '/mcp/unregister', { as: owner, sid, body: { id: first } }))
  await host.kill()
  await host.start()
  const after = await cells()
  assert.deepEqual(
    rest.map((id) => after.get(id)),
    rest.map((id) => before.get(id))
  )
})

test('an operator sets other limits', async () => {
  const small = await openWorld('--max-occupants', '2', '--max-occupants-per-owner', '1', '--max-agents', '1')
  const put = (name) => small.host.call('POST', '/mcp/register', { as: small.owner, sid: small.sid, body: { name } })
  granted(await put('a'))
  refused(await put('b'), 400, 'occupant_limit')
  const more = { agentNodeId: accounts[2].nodeId, agentNodePasswHash: accounts[2].passwHash }
  refused(await small.host.call('POST', '/api/nodes/agent-node', { as: small.owner, body: more }), 400, 'agent_limit')
})
