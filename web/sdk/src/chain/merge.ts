import type { ChainNode, Occupant, Space, WorldSnapshot } from '../protocol/contract.js'
import { mcpServersOf } from './copy.js'
import { compareKeys } from './keys.js'
import { ownKey, readNode } from './node.js'
import { ChainError, spaceKeyOf, stableKeyOf } from './row.js'
import { asBoolean, asObject, member } from '../json/read.js'

/**
 * Returns the snapshot with one node merged in; the given snapshot is not changed.
 * A row is stored under its own key, in chain order, whatever key the node
 * states. The result omits the root of the snapshot, which was computed from the
 * old rows: `playerChainRoot` computes it.
 */
export function mergeSnapshotWithPlayerChainNode(snapshot: WorldSnapshot, node: ChainNode): WorldSnapshot {
  const checked = readNode(node)
  if (checked.kind === 'genesis') return snapshot
  const { merkleRootHex: _root, merkleLeafCount: _count, ...rest } = snapshot
  if (checked.kind === 'header') {
    return { ...rest, sid: checked.sid, worldMap: { ...snapshot.worldMap, bounds: checked.bounds } }
  }
  if (asBoolean(member(asObject(node), 'removed')) === undefined) {
    throw new ChainError('removed of a chain node must be a boolean')
  }
  const key = ownKey(checked) ?? checked.stableKey
  if (checked.kind === 'space') {
    return { ...rest, spaces: replaced<Space>(snapshot.spaces, key, checked.removed ? undefined : checked.space, spaceKeyOf) }
  }
  const occupants = replaced<Occupant>(snapshot.worldMap.occupants, key, checked.removed ? undefined : checked.occupant, stableKeyOf)
  return { ...rest, worldMap: { ...snapshot.worldMap, occupants }, mcpServers: mcpServersOf(occupants) }
}

function replaced<T>(rows: readonly T[] | undefined, key: string, row: T | undefined, keyOf: (row: T) => string): T[] {
  const next = (rows ?? []).filter((other) => keyOf(other) !== key)
  if (row !== undefined) next.push(row)
  return next.sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
}
