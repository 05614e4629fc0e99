// The known answers of the protocol's "The player chain": leaves, roots, notifies, merges.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { leafDigest, leavesOf, notifyOf, occupantKey, chainOf, rootOf } from './lib/chain.mjs'
import { fetchOrder, merge } from './lib/subscriber.mjs'

const known = (name) => JSON.parse(readFileSync(new URL(`../../chain/testdata/${name}.json`, import.meta.url)))

const chain = known('chain')

for (const { name, genesis, snapshot, leaves, merkleRootHex, merkleLeafCount } of chain.cases) {
  test(`leaves and root: ${name}`, () => {
    const mine = leavesOf(snapshot, genesis).map((leaf) => ({ ...leaf, leafDigestHex: leafDigest(leaf.payload) }))
    assert.deepEqual(mine, leaves)
    assert.deepEqual(chainOf(snapshot, genesis), { merkleRootHex, merkleLeafCount })
  })
}

for (const { n, leafPayloads, rootHex } of chain.merkleOnly) {
  test(`the root over ${n} payloads`, () => assert.equal(rootOf(leafPayloads.map(leafDigest)), rootHex))
}

const { genesis, cases } = known('notify')

for (const { name, prev, next, notify, fetchOrder: order } of cases) {
  test(`the notify of a change: ${name}`, () => {
    const mine = notifyOf(prev, next, genesis)
    const bare = (notify?.nodes ?? []).map(({ updatedAt, ...ref }) => ref)
    assert.deepEqual(
      mine.map((ref) => ({ ...ref })),
      bare.map(({ stableKey, leafIndex, removed }) =>
        removed ? { stableKey, leafIndex, removed } : { stableKey, leafIndex }
      )
    )
    assert.deepEqual(
      fetchOrder(mine).map((ref) => ref.stableKey),
      order ?? []
    )
  })
}

const merging = known('merge')

// Results list known fields only and occupants in no order.
const pick = (value, like) => Object.fromEntries(Object.keys(like).map((key) => [key, value[key]]))
const byKey = (rows) => new Map(rows.map((row) => [row.kind ? occupantKey(row) : row.id, row]))

for (const { name, snapshot, node, outcome, result } of merging.merge) {
  test(`merging one node: ${name}`, () => {
    if (outcome !== 'ok') {
      assert.throws(() => merge(snapshot, node))
      return
    }
    const mine = merge(snapshot, node)
    const rows = byKey(mine.worldMap.occupants)
    assert.equal(rows.size, result.worldMap.occupants.length)
    for (const [key, row] of byKey(result.worldMap.occupants)) assert.deepEqual(pick(rows.get(key), row), row)
    assert.deepEqual(byKey(mine.spaces ?? []), byKey(result.spaces ?? []))
    assert.deepEqual(mine.worldMap.bounds, result.worldMap.bounds)
  })
}

for (const { nodes, ordered } of merging.fetchOrder) {
  test('the order in which nodes are fetched', () => assert.deepEqual(fetchOrder(nodes), ordered))
}
