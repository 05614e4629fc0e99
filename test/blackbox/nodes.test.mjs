// Protocol, "Routes of nodes": the routes of nodes, from their creation to their end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { check, is, listOf } from './lib/rows.mjs'
import { accounts, rootKey, startHost } from './lib/host.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, main, register, sidOf, snapshotOf } from './lib/world.mjs'

const host = await startHost()
const owner = await main(host, 0)
const other = await main(host, 2)
const agent = await agentOf(host, owner, 1)
const sid = await sidOf(host, owner)

const mainNode = {
  nodeId: is.hex,
  kind: is.oneOf('main'),
  parentNodeId: (v) => v === rootKey,
  createdAt: is.time,
  agentNodeIds: is.texts
}
const agentNode = {
  agentId: is.hex,
  name: is.text,
  toolNames: is.texts,
  zoneCount: is.count,
  yieldCount: is.count,
  flagged: is.flag,
  createdAt: is.time,
  updatedAt: is.time
}
const nodes = (as, query) => host.call('GET', '/api/nodes', { as, query })
const create = (as, changes) => {
  const { nodeId, passwHash } = accounts[3]
  return host.call('POST', '/api/nodes/agent-node', {
    as,
    body: { agentNodeId: nodeId, agentNodePasswHash: passwHash, ...changes }
  })
}

test('a main node lists itself and its agents', async () => {
  const list = granted(await nodes(owner), {
    genesisNodeId: (v) => v === rootKey,
    mainNode,
    agentNodes: listOf(agentNode)
  })
  assert.deepEqual(list.mainNode.agentNodeIds, [agent.nodeId])
  assert.deepEqual(
    list.agentNodes.map(({ agentId, name, toolNames }) => ({ agentId, name, toolNames })),
    [{ agentId: agent.nodeId, name: '', toolNames: [] }]
  )
  const { agents } = granted(await host.call('GET', '/api/agents', { as: owner }), { agents: listOf(agentNode) })
  assert.deepEqual(agents, list.agentNodes)
})

test('a registration appears in the lists', async () => {
  granted(await register(host, sid, agent, { name: 'Grace' }))
  const { agents } = granted(await host.call('GET', '/api/agents', { as: owner }))
  assert.deepEqual([agents[0].name, agents[0].toolNames], ['Grace', ['chat_tool']])
})

test('the administrator lists every node', async () => {
  const list = granted(await nodes(admin, { all: 'true' }), {
    genesisNodeId: (v) => v === rootKey,
    mainNodes: listOf(mainNode),
    agentNodes: listOf(agentNode),
    spaceNodes: Array.isArray
  })
  assert.deepEqual(list.mainNodes.map((node) => node.nodeId).sort(), [owner.nodeId, other.nodeId].sort())
  assert.equal(list.agentNodes.length, 1)
})

test('only a main node lists its account, and only the administrator lists all', async () => {
  refused(await nodes(agent), 403, 'forbidden')
  refused(await nodes(owner, { all: 'true' }), 403, 'forbidden')
  refused(await host.call('GET', '/api/agents', { as: agent }), 403, 'forbidden')
  refused(await host.call('GET', '/api/nodes'), 401, 'credentials_missing')
  refused(await nodes({ token: 'wrong' }, { all: 'true' }), 401, 'credentials_invalid')
})

test('a node id belongs to one node of one kind', async () => {
  const again = (account) => host.call('POST', '/api/nodes', { body: { kind: 'main', ...account }, reveals: true })
  refused(await again(accounts[0]), 409, 'node_exists')
  refused(await again(accounts[1]), 409, 'node_exists')
  refused(await create(owner, { agentNodeId: agent.nodeId, agentNodePasswHash: agent.passwHash }), 409, 'node_exists')
  refused(await create(other, { agentNodeId: agent.nodeId, agentNodePasswHash: agent.passwHash }), 409, 'node_exists')
  refused(await create(other, { agentNodeId: owner.nodeId, agentNodePasswHash: owner.passwHash }), 409, 'node_exists')
})

test('an agent node belongs to its creator', async () => {
  refused(await create(owner, { parentNodeId: other.nodeId }), 403, 'forbidden')
  refused(await create(agent), 403, 'forbidden')
  refused(await create(owner, { agentNodePasswHash: accounts[4].passwHash }), 400, 'node_not_derivable')
  refused(await create(owner, { agentNodeId: undefined }), 400, 'body_invalid', 'agentNodeId')
  refused(await create(owner, { agentNodePasswHash: undefined }), 400, 'body_invalid', 'agentNodePasswHash')
  refused(await create(owner, { kind: 'main' }), 400, 'body_invalid', 'kind')
  granted(await create(owner), { agentId: (v) => v === accounts[3].nodeId })
})

test('validate returns the kind of a node', async () => {
  const validate = (as, body = {}) => host.call('POST', '/api/nodes/validate', { as, body })
  const valid = (nodeKind) => ({ ok: (v) => v === true, nodeKind: (v) => v === nodeKind })
  granted(await validate(owner), valid('main'))
  granted(await validate(agent), valid('agent'))
  granted(await validate(owner, { nodeId: owner.nodeId, rootKey }), valid('main'))
  granted(await validate(owner, { nodeId: agent.nodeId, mainNodeId: owner.nodeId }), valid('agent'))
  granted(await validate({ ...agent, passwHash: owner.passwHash }), valid('agent'))
  granted(
    await validate(
      { ...agent, passwHash: owner.passwHash },
      { nodeId: agent.nodeId, rootKey, mainNodeId: owner.nodeId }
    ),
    valid('agent')
  )
  const invalid = async (reply, reason) => {
    assert.equal(reply.status, 400, reply.text)
    check(reply.json, { ok: (v) => v === false, reason: (v) => v === reason, 'nodeKind?': is.named }, 'reply')
  }
  await invalid(await validate(owner, { rootKey: 'a'.repeat(64) }), 'derivative mismatch')
  await invalid(await validate(owner, { nodeId: accounts[6].nodeId }), 'node not found')
  await invalid(await validate(agent, { mainNodeId: other.nodeId }), 'agent parent mismatch')
  await invalid(await validate(owner, { nodeId: agent.nodeId, mainNodeId: other.nodeId }), 'agent parent mismatch')
  refused(await validate(owner, { nodeId: other.nodeId }), 403, 'forbidden')
  refused(await validate(other, { nodeId: agent.nodeId }), 403, 'forbidden')
  refused(await validate(agent, { nodeId: owner.nodeId }), 403, 'forbidden')
})

test('POST /api/agents is removed', async () => {
  refused(await host.call('POST', '/api/agents', { as: owner }), 410, 'removed')
  refused(await host.call('POST', '/api/agents', { as: owner, body: {} }), 410, 'removed')
})

test('deletion of an agent frees all its resources', async (t) => {
  const erase = (as, id, more) => host.call('DELETE', '/api/agents', { as, query: { id }, ...more })
  granted(await register(host, sid, agent))
  const stream = await openStream(host, { as: owner, sid })
  const its = await openStream(host, { as: agent, sid })
  t.after(() => stream.close())
  t.after(() => its.close())
  refused(await erase(other, agent.nodeId), 403, 'forbidden')
  refused(await erase(agent, agent.nodeId), 403, 'forbidden')
  granted(await erase(owner, accounts[6].nodeId), { ok: (v) => v === false })
  granted(await erase(owner, agent.nodeId, { raw: '{"ignored', headers: { 'content-type': 'application/json' } }), {
    ok: (v) => v === true
  })
  const { data } = await stream.next('world:player_removed')
  assert.deepEqual([data.playerId, data.reason], [agent.nodeId, 'deleted'])
  await its.rest()
  refused(await host.call('POST', '/api/nodes/validate', { as: agent, body: {} }), 401, 'credentials_invalid')
  granted(await erase(owner, agent.nodeId), { ok: (v) => v === false })
  assert.ok(!(await snapshotOf(host, owner)).worldMap.occupants.some((row) => row.agentId === agent.nodeId))
  await agentOf(host, other, 1)
  const { agents } = granted(await host.call('GET', '/api/agents', { as: other }))
  assert.equal(agents[0].name, '')
})

test('deletion of a main node removes all that it owns in one change', async (t) => {
  const erase = (as, confirmNodeId) => host.call('DELETE', '/api/nodes', { as, body: { confirmNodeId } })
  const their = { ...accounts[1], apiKey: other.apiKey }
  granted(await register(host, sid, their))
  granted(await host.call('POST', '/mcp/register', { as: other, sid, body: { name: 'tools' } }))
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const before = await snapshotOf(host, owner)
  refused(await erase(other, owner.nodeId), 400, 'confirmation_mismatch')
  refused(await erase(their, their.nodeId), 403, 'forbidden')
  granted(await erase(other, other.nodeId), { ok: (v) => v === true, deletedAgentCount: (v) => v === 1 })
  const { data } = await stream.next('world:agent_signal')
  assert.deepEqual(
    [data.playerId, data.kind, data.data, data.rev],
    ['__world__', 'metadata', { reason: 'node_deleted' }, before.rev + 1]
  )
  assert.deepEqual(
    data.playerChainNotify.nodes.map((ref) => ref.removed),
    [true, true]
  )
  refused(await host.call('POST', '/api/nodes/validate', { as: other, body: {} }), 401, 'credentials_invalid')
  refused(await host.call('POST', '/api/nodes/validate', { as: their, body: {} }), 401, 'credentials_invalid')
  const after = await snapshotOf(host, owner)
  assert.deepEqual([after.rev, after.seq], [before.rev + 1, before.seq + 1])
  assert.deepEqual(after.worldMap.occupants, [])
})

test('a node can be created again with the id of a deleted one, also by the administrator', async () => {
  const again = await main(host, 2)
  assert.notEqual(again.apiKey, other.apiKey)
  const erase = (confirmNodeId) => host.call('DELETE', '/api/nodes', { as: admin, body: { confirmNodeId } })
  granted(await erase(again.nodeId), { ok: (v) => v === true, deletedAgentCount: (v) => v === 0 })
  refused(await erase(again.nodeId), 404, 'not_found')
  granted(await erase(accounts[3].nodeId), { ok: (v) => v === true, deletedAgentCount: is.count })
  refused(await host.call('POST', '/api/nodes/validate', { as: accounts[3], body: {} }), 401, 'credentials_invalid')
})
