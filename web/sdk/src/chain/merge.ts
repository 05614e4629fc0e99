import type { ChainNode, Occupant, Space, WorldSnapshot } from '../protocol/contract.js'
import { mcpServersOf } from './copy.js'
import { compareKeys } from './keys.js'
import { ownKey, readNode } from './node.js'
import { ChainError, spaceKeyOf, stableKeyOf } from './row.js'
import { asBoolean, asObject, member } from '../json/read.js'

/**
 * Returns the snapshot with one node merged in; the one before stays as it was.
 * A row goes in under its own key, in chain order, whatever the node calls
 * itself. The root in the snapshot, which was that of the rows before, is left
 * out of the result: `playerChainRoot` computes it.
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
