import { asBoolean, asObject, asPosition, asText, member } from '../json/read.js'
import type { Bounds, ChainNode, ChainNodeReply, JsonObject } from '../protocol/contract.js'
import { lackOf } from '../protocol/read.js'
import { PLAYER_CHAIN_GENESIS_STABLE_KEY, PLAYER_CHAIN_HEADER_STABLE_KEY, nodeKindOf } from './keys.js'
import { ChainError, checkOccupant, checkSpace, spaceKeyOf, stableKeyOf } from './row.js'

/**
 * Reads the parsed body of a reply to `getPlayerChainNode`, and throws a
 * `ChainError` for one that is malformed. A host of the agent-play service leaves
 * out `removed` if a row is present; a missing one is read as false.
 */
export function parsePlayerChainNodeRpcBody(body: unknown): ChainNode {
  return readNode(member(asObject(body), 'node'))
}

/** Reads the same body as `parsePlayerChainNodeRpcBody`, with the node's rev. */
export function parseNodeReply(body: unknown): ChainNodeReply {
  const rev = asPosition(member(asObject(body), 'rev'))
  const node = parsePlayerChainNodeRpcBody(body)
  return rev === undefined ? { node } : { node, rev }
}

/** Reads one chain node in its wire form; a malformed one is a `ChainError`. */
export function readNode(value: unknown): ChainNode {
  const node = asObject(value)
  if (node === undefined) throw new ChainError('a chain node is an object')
  const stableKey = asText(member(node, 'stableKey'))
  if (!stableKey) throw wrong('stableKey', 'a non-empty string')
  switch (asText(member(node, 'kind'))) {
    case 'genesis':
      return readGenesis(node, stableKey)
    case 'header':
      return readHeader(node, stableKey)
    case 'occupant':
      return readRow(node, 'occupant', stableKey)
    case 'space':
      return readRow(node, 'space', stableKey)
    default:
      throw new ChainError('the kind of a chain node is none of genesis, header, occupant, space')
  }
}

function wrong(name: string, want: string): ChainError {
  return new ChainError(`${name} of a chain node must be ${want}`)
}

function readGenesis(node: JsonObject, stableKey: string): ChainNode {
  const text = asText(member(node, 'text'))
  if (text === undefined) throw wrong('text', 'a string')
  if (stableKey !== PLAYER_CHAIN_GENESIS_STABLE_KEY) throw wrong('stableKey', PLAYER_CHAIN_GENESIS_STABLE_KEY)
  return { kind: 'genesis', stableKey, text }
}

function readHeader(node: JsonObject, stableKey: string): ChainNode {
  const sid = asText(member(node, 'sid'))
  if (sid === undefined) throw wrong('sid', 'a string')
  if (stableKey !== PLAYER_CHAIN_HEADER_STABLE_KEY) throw wrong('stableKey', PLAYER_CHAIN_HEADER_STABLE_KEY)
  return { kind: 'header', stableKey, sid, bounds: readBounds(member(node, 'bounds')) }
}

/** Reads the bounds of a map; malformed ones are a `ChainError`. */
export function readBounds(value: unknown): Bounds {
  const bounds = asObject(value)
  const lack = bounds === undefined ? 'they must be an object' : lackOf('Bounds', bounds)
  if (lack !== undefined) throw new ChainError(`the bounds of a map cannot be read: ${lack}`)
  const { minX, minY, maxX, maxY } = bounds as unknown as Bounds
  return { minX, minY, maxX, maxY }
}

function readRow(node: JsonObject, kind: 'occupant' | 'space', stableKey: string): ChainNode {
  const flag = member(node, 'removed')
  const removed = flag === undefined ? false : asBoolean(flag)
  if (removed === undefined) throw wrong('removed', 'a boolean')
  if (removed) return { kind, stableKey, removed }
  const row = member(node, kind)
  if (row === undefined) throw wrong(kind, 'there unless the node is removed')
  return kind === 'space'
    ? { kind, stableKey, removed, space: checkSpace(row) }
    : { kind, stableKey, removed, occupant: checkOccupant(row) }
}

/** Refuses a node with another key than the requested one, in the node itself or in its row. */
export function mustAnswerFor(node: ChainNode, key: string): void {
  const asked = `a node was asked for ${JSON.stringify(key.slice(0, 200))}`
  if (node.stableKey !== key) throw new ChainError(`${asked} and another one came`)
  const kind = nodeKindOf(key)
  if (kind !== undefined && kind !== node.kind) throw new ChainError(`${asked} and one of kind ${node.kind} came`)
  const own = ownKey(node)
  if (own !== undefined && own !== key) throw new ChainError(`${asked} and the row of another one came`)
}

/** Returns the key of a node's leaf; undefined for a removed one. */
export function ownKey(node: ChainNode): string | undefined {
  switch (node.kind) {
    case 'genesis':
      return PLAYER_CHAIN_GENESIS_STABLE_KEY
    case 'header':
      return PLAYER_CHAIN_HEADER_STABLE_KEY
    case 'occupant':
      return node.removed ? undefined : stableKeyOf(node.occupant)
    case 'space':
      return node.removed ? undefined : spaceKeyOf(node.space)
  }
}
