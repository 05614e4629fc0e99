// Protocol, "Chain reads": reading nodes of the chain, old ones too, and proofs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { leafDigest, leavesOf, payloadOf, proofHolds } from './lib/chain.mjs'
import { rootKey } from './lib/host.mjs'
import { check, is, listOf } from './lib/rows.mjs'
import { openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
granted(await register(host, sid, agent))
for (const name of ['a', 'b', 'c', 'd', 'e'])
  granted(await host.call('POST', '/mcp/register', { as: owner, sid, body: { name } }))

const read = (op, payload) => host.rpc(op, payload, { as: agent })
const one = async (stableKey, atRev) =>
  granted(await read('getPlayerChainNode', { stableKey, atRev }), { node: is.object, rev: is.count })

test('every leaf of the snapshot has its node', async () => {
  const snapshot = await snapshotOf(host, owner)
  for (const { stableKey, payload } of leavesOf(snapshot, rootKey)) {
    const { node, rev } = await one(stableKey)
    assert.equal(node.stableKey, stableKey)
    assert.equal(payloadOf(node), payload)
    assert.equal(rev, snapshot.rev)
  }
})

test('the shapes of nodes', async () => {
  const snapshot = await snapshotOf(host, owner)
  check(
    (await one('__genesis__')).node,
    { kind: is.oneOf('genesis'), stableKey: is.named, text: (v) => v === rootKey },
    'genesis'
  )
  check(
    (await one('__header__')).node,
    { kind: is.oneOf('header'), stableKey: is.named, sid: (v) => v === sid, bounds: is.object },
    'header'
  )
  const key = `agent:${owner.nodeId}:${agent.nodeId}`
  const { node } = await one(key)
  check(
    node,
    { kind: is.oneOf('occupant'), stableKey: (v) => v === key, removed: (v) => v === false, occupant: is.object },
    'occupant'
  )
  assert.deepEqual(
    node.occupant,
    snapshot.worldMap.occupants.find((row) => row.kind === 'agent')
  )
})

test('a missing row is reported as removed, a key of unknown kind is refused', async () => {
  for (const stableKey of ['mcp:never', 'human:x', 'structure:x', 'agent:x:y']) {
    assert.deepEqual((await one(stableKey)).node, { kind: 'occupant', stableKey, removed: true })
  }
  assert.deepEqual((await one('space:never')).node, { kind: 'space', stableKey: 'space:never', removed: true })
  for (const stableKey of ['', 'x', '__root__', 'agents:x', 'MCP:x']) {
    refused(await read('getPlayerChainNode', { stableKey }), 400, 'stable_key_unknown')
    refused(await read('getPlayerChainNodes', { stableKeys: ['__header__', stableKey] }), 400, 'stable_key_unknown')
    refused(await read('getPlayerChainProof', { stableKey }), 400, 'stable_key_unknown')
  }
  refused(await read('getPlayerChainNode', { stableKey: 5 }), 400, 'body_invalid', 'stableKey')
})

test('a batch is in the requested order, all at one rev', async () => {
  const snapshot = await snapshotOf(host, owner)
  const stableKeys = leavesOf(snapshot, rootKey)
    .map((leaf) => leaf.stableKey)
    .reverse()
  const batch = granted(
    await read('getPlayerChainNodes', { stableKeys: [...stableKeys, 'mcp:never', stableKeys[0]] }),
    {
      nodes: listOf(is.object),
      rev: is.count,
      merkleRootHex: is.hex,
      merkleLeafCount: is.count
    }
  )
  assert.deepEqual(
    batch.nodes.map((node) => node.stableKey),
    [...stableKeys, 'mcp:never', stableKeys[0]]
  )
  assert.deepEqual(
    [batch.rev, batch.merkleRootHex, batch.merkleLeafCount],
    [snapshot.rev, snapshot.merkleRootHex, snapshot.merkleLeafCount]
  )
})

test('atRev returns the nodes of that rev', async () => {
  const key = `agent:${owner.nodeId}:${agent.nodeId}`
  granted(await register(host, sid, agent, { name: 'Before' }))
  const then = await snapshotOf(host, owner)
  granted(await register(host, sid, agent, { name: 'After' }))
  granted(await host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } }))
  const old = await one(key, then.rev)
  assert.deepEqual([old.rev, old.node.occupant.name], [then.rev, 'Before'])
  const middle = await one(key, then.rev + 1)
  assert.deepEqual([middle.rev, middle.node.occupant.name], [then.rev + 1, 'After'])
  const batch = granted(await read('getPlayerChainNodes', { stableKeys: ['__header__', key], atRev: then.rev }))
  assert.deepEqual(
    [batch.rev, batch.merkleRootHex, batch.merkleLeafCount],
    [then.rev, then.merkleRootHex, then.merkleLeafCount]
  )
  assert.deepEqual(await one(key), { node: { kind: 'occupant', stableKey: key, removed: true }, rev: then.rev + 2 })
  assert.equal((await one(key, then.rev + 1000)).rev, then.rev + 2)
  refused(await read('getPlayerChainNode', { stableKey: key, atRev: -1 }), 400, 'body_invalid', 'atRev')
  refused(await read('getPlayerChainNode', { stableKey: key, atRev: 'x' }), 400, 'body_invalid', 'atRev')
})

test('the proof of every leaf holds, and a changed proof does not', async () => {
  const shape = {
    node: is.object,
    leafIndex: is.count,
    leafDigestHex: is.hex,
    path: listOf({ side: is.oneOf('left', 'right'), hex: is.hex }),
    merkleRootHex: is.hex,
    merkleLeafCount: is.count,
    rev: is.count
  }
  for (let size = 0; size < 6; size++) {
    const snapshot = await snapshotOf(host, owner)
    for (const [index, { stableKey, payload }] of leavesOf(snapshot, rootKey).entries()) {
      const proof = granted(await read('getPlayerChainProof', { stableKey }), shape)
      assert.deepEqual(
        [proof.leafIndex, proof.leafDigestHex, proof.merkleRootHex, proof.rev],
        [index, leafDigest(payload), snapshot.merkleRootHex, snapshot.rev]
      )
      assert.ok(proofHolds(proof), `the proof of ${stableKey} among ${snapshot.merkleLeafCount} leaves`)
      assert.ok(
        !proofHolds({ ...proof, leafIndex: (index + 1) % proof.merkleLeafCount }) || proof.merkleLeafCount === 1
      )
      assert.ok(!proofHolds({ ...proof, merkleLeafCount: proof.merkleLeafCount * 2 + 1 }))
    }
    const [server] = snapshot.mcpServers
    if (server) granted(await host.call('POST', '/mcp/unregister', { as: owner, sid, body: { id: server.id } }))
  }
  refused(await read('getPlayerChainProof', { stableKey: 'mcp:never' }), 404, 'not_found')
})
