// The player chain (protocol, "The player chain"): leaves in order, digests, root, proofs.

import { createHash } from 'node:crypto'
import { canonical } from './canonical.mjs'

const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex')

export const leafDigest = (payload) => sha256(`wilforlan:player-chain:leaf\0${payload}`)
const parentDigest = (left, right) => sha256(`wilforlan:player-chain:node\0${left}${right}`)

export function occupantKey(row) {
  return row.kind === 'agent' ? `agent:${row.nodeId}:${row.agentId}` : `${row.kind}:${row.id}`
}

export const spaceKey = (space) => `space:${space.id}`

export const byBytes = (a, b) => Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'))

// leavesOf lists a snapshot's leaves in the chain's order.
export function leavesOf(snapshot, genesis) {
  const { sid, worldMap, spaces = [] } = snapshot
  const rows = (list, key) =>
    list
      .map((row) => ({ stableKey: key(row), payload: canonical(row) }))
      .sort((a, b) => byBytes(a.stableKey, b.stableKey))
  return [
    { stableKey: '__genesis__', payload: genesis },
    { stableKey: '__header__', payload: canonical({ v: 1, sid, bounds: worldMap.bounds }) },
    ...rows(worldMap.occupants, occupantKey),
    ...rows(spaces, spaceKey)
  ]
}

export function rootOf(digests) {
  if (digests.length === 0) return leafDigest('')
  let level = digests
  while (level.length > 1) {
    const above = []
    for (let i = 0; i < level.length; i += 2) above.push(parentDigest(level[i], level[i + 1] ?? level[i]))
    level = above
  }
  return level[0]
}

// chainOf is the root and the leaf count that a snapshot has.
export function chainOf(snapshot, genesis) {
  const leaves = leavesOf(snapshot, genesis)
  return { merkleRootHex: rootOf(leaves.map((leaf) => leafDigest(leaf.payload))), merkleLeafCount: leaves.length }
}

// payloadOf is the leaf payload of a node that is there.
export function payloadOf(node) {
  switch (node.kind) {
    case 'genesis':
      return node.text
    case 'header':
      return canonical({ v: 1, sid: node.sid, bounds: node.bounds })
    default:
      return canonical(node[node.kind])
  }
}

// proofHolds rebuilds the root from a proof. Sides come from the index and the
// count, and a path that says otherwise is refused.
export function proofHolds(proof) {
  const { node, leafIndex, leafDigestHex, path, merkleLeafCount } = proof
  let digest = leafDigest(payloadOf(node))
  if (digest !== leafDigestHex || leafIndex < 0 || leafIndex >= merkleLeafCount) return false
  let index = leafIndex
  let width = merkleLeafCount
  for (const { side, hex } of path) {
    if (width <= 1 || side !== (index % 2 === 1 ? 'left' : 'right')) return false
    if (index % 2 === 0 && index === width - 1 && hex !== digest) return false
    digest = side === 'left' ? parentDigest(hex, digest) : parentDigest(digest, hex)
    index = Math.floor(index / 2)
    width = Math.ceil(width / 2)
  }
  return width === 1 && digest === proof.merkleRootHex
}

// notifyOf is the change from one snapshot to the next as the host must tell
// it: removals by descending index in the old chain, then what is new or
// different by ascending index in the new one.
export function notifyOf(previous, next, genesis) {
  const before = leavesOf(previous, genesis)
  const after = leavesOf(next, genesis)
  const old = new Map(before.map((leaf) => [leaf.stableKey, leaf.payload]))
  const kept = new Set(after.map((leaf) => leaf.stableKey))
  const removals = before
    .map((leaf, leafIndex) => ({ stableKey: leaf.stableKey, leafIndex, removed: true }))
    .filter((ref) => !kept.has(ref.stableKey))
    .reverse()
  const updates = after
    .map((leaf, leafIndex) => ({ ...leaf, leafIndex }))
    .filter((leaf) => old.get(leaf.stableKey) !== leaf.payload)
    .map(({ stableKey, leafIndex }) => ({ stableKey, leafIndex }))
  return [...removals, ...updates]
}
