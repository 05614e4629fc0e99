import { canonicalJson } from '../json/canonical.js'
import { asArray, asObject, asPosition, asText, member } from '../json/read.js'
import type { Bounds, ChainNode, Json, McpServer, Occupant, Space, WorldSnapshot } from '../protocol/contract.js'
import { MismatchError } from '../protocol/errors.js'
import { leafDigest } from './digest.js'
import { PLAYER_CHAIN_GENESIS_STABLE_KEY, PLAYER_CHAIN_HEADER_STABLE_KEY, rankOf } from './keys.js'
import { ownKey, readBounds } from './node.js'
import { ChainError, checkOccupant, checkSpace, spaceKeyOf, stableKeyOf } from './row.js'
import { type Edit, type Leaf, MerkleTree } from './tree.js'

type Row = Occupant | Space | undefined

/** The fields of a snapshot besides its rows. */
export interface Head {
  readonly sid: string
  readonly mainNodeId: string
  readonly bounds: Bounds
  readonly rev?: number
  readonly seq?: number
}

/** The values that a host stated for a snapshot's chain. */
export interface Stated {
  readonly merkleRootHex?: string
  readonly merkleLeafCount: number
}

/** A copy of a world with its chain. It never changes: merging returns another one. */
export class WorldCopy {
  #snapshot: WorldSnapshot | undefined

  private constructor(
    readonly head: Head,
    readonly tree: MerkleTree<Row>,
  ) {}

  /**
   * Reads a parsed snapshot together with the host's stated root and count, without
   * comparing them. A row that cannot be read, or two rows with one key, are a
   * `ChainError`: a copy without such rows could never be verified.
   */
  static parse(value: unknown): { copy: WorldCopy; stated: Stated } {
    const raw = asObject(value)
    const worldMap = asObject(member(raw, 'worldMap'))
    const sid = asText(member(raw, 'sid'))
    const occupants = asArray(member(worldMap, 'occupants'))
    if (sid === undefined) throw new ChainError('sid of a snapshot must be a string')
    if (occupants === undefined) throw new ChainError('worldMap.occupants of a snapshot must be a list')
    const rev = asPosition(member(raw, 'rev'))
    const seq = asPosition(member(raw, 'seq'))
    const head: Head = {
      sid,
      mainNodeId: asText(member(raw, 'mainNodeId')) ?? '',
      bounds: readBounds(member(worldMap, 'bounds')),
      ...(rev === undefined ? {} : { rev }),
      ...(seq === undefined ? {} : { seq }),
    }
    const leaves = [
      ...occupants.map((row) => occupantLeaf(checkOccupant(row))),
      ...(asArray(member(raw, 'spaces')) ?? []).map((space) => spaceLeaf(checkSpace(space))),
    ]
    const tree = MerkleTree.empty<Row>().apply([genesisLeaf(head.mainNodeId), headerLeaf(head.sid, head.bounds), ...leaves].map(put))
    if (tree.size !== leaves.length + 2) throw new ChainError('two rows of a snapshot have the same stable key')
    const root = asText(member(raw, 'merkleRootHex'))
    const merkleLeafCount = asPosition(member(raw, 'merkleLeafCount')) ?? 0
    return { copy: new WorldCopy(head, tree), stated: root ? { merkleRootHex: root, merkleLeafCount } : { merkleLeafCount } }
  }

  /** The copy as a plain value. Its root and count are those of the rows, computed here. */
  get snapshot(): WorldSnapshot {
    this.#snapshot ??= this.#plain()
    return this.#snapshot
  }

  #plain(): WorldSnapshot {
    const { bounds, sid, mainNodeId, rev, seq } = this.head
    const occupants: Occupant[] = []
    const spaces: Space[] = []
    for (const leaf of this.tree.leaves) {
      const rank = rankOf(leaf.key)
      if (rank === 2) occupants.push(leaf.value as Occupant)
      else if (rank === 3) spaces.push(leaf.value as Space)
    }
    return {
      sid, mainNodeId,
      ...(rev === undefined ? {} : { rev }),
      ...(seq === undefined ? {} : { seq }),
      merkleRootHex: this.tree.rootHex,
      merkleLeafCount: this.tree.size,
      worldMap: { bounds, occupants }, spaces, mcpServers: mcpServersOf(occupants),
    }
  }

  /** Returns the same copy with another rev and seq. */
  at(rev: number | undefined, seq: number | undefined): WorldCopy {
    const { sid, mainNodeId, bounds } = this.head
    const head: Head = { sid, mainNodeId, bounds, ...(rev === undefined ? {} : { rev }), ...(seq === undefined ? {} : { seq }) }
    return new WorldCopy(head, this.tree)
  }

  /** Returns the same copy with another genesis text, which hosts of the agent-play service need. */
  withGenesis(text: string): WorldCopy {
    return new WorldCopy(this.head, this.tree.apply([put(genesisLeaf(text))]))
  }

  /**
   * Merges the nodes of one event, in their order. A genesis node changes
   * nothing, a header replaces session and bounds, a row is stored under its own
   * key, the removal of a missing row changes nothing. A node that cannot be read
   * is a `ChainError`, and then nothing is merged.
   */
  merge(nodes: readonly ChainNode[]): WorldCopy {
    let head = this.head
    const edits: Edit<Row>[] = []
    for (const node of nodes) {
      if (node.kind === 'genesis') continue
      if (node.kind === 'header') {
        head = { ...head, sid: node.sid, bounds: node.bounds }
        edits.push(put(headerLeaf(node.sid, node.bounds)))
      } else {
        edits.push(rowEdit(node))
      }
    }
    return new WorldCopy(head, this.tree.apply(edits))
  }

  /** Compares the chain with the host's stated root and count; a difference is returned as an error, not thrown. */
  compare(rootHex: string, leafCount: number): MismatchError | undefined {
    const own = this.tree.rootHex
    if (own === rootHex && this.tree.size === leafCount) return undefined
    return new MismatchError(rootHex, leafCount, own, this.tree.size)
  }
}

/** Returns the mcp rows in the form in which a snapshot repeats them. */
export function mcpServersOf(occupants: readonly Occupant[]): McpServer[] {
  return occupants.flatMap((row) => {
    if (row.kind !== 'mcp') return []
    const { id, name, url } = row
    return [asText(url) ? { id, name, url: url ?? '' } : { id, name }]
  })
}

function put(leaf: Leaf<Row>): Edit<Row> {
  return { key: leaf.key, leaf }
}

function rowEdit(node: Exclude<ChainNode, { kind: 'genesis' | 'header' }>): Edit<Row> {
  if (!node.removed) return put(node.kind === 'space' ? spaceLeaf(node.space) : occupantLeaf(node.occupant))
  // A removal has only a key: an occupant's key must not remove the header.
  if (rankOf(node.stableKey) !== (node.kind === 'space' ? 3 : 2)) {
    throw new ChainError(`a node of kind ${node.kind} cannot remove ${JSON.stringify(node.stableKey.slice(0, 200))}`)
  }
  return { key: node.stableKey }
}

function rowLeaf(key: string, row: Occupant | Space): Leaf<Row> {
  return { key, digest: leafDigest(canonicalJson(row as unknown as Json)), value: row }
}

function occupantLeaf(row: Occupant): Leaf<Row> {
  return rowLeaf(stableKeyOf(row), row)
}

function spaceLeaf(space: Space): Leaf<Row> {
  return rowLeaf(spaceKeyOf(space), space)
}

function genesisLeaf(text: string): Leaf<Row> {
  return { key: PLAYER_CHAIN_GENESIS_STABLE_KEY, digest: leafDigest(text), value: undefined }
}

function headerLeaf(sid: string, bounds: Bounds): Leaf<Row> {
  const payload = canonicalJson({ v: 1, sid, bounds: { ...bounds } })
  return { key: PLAYER_CHAIN_HEADER_STABLE_KEY, digest: leafDigest(payload), value: undefined }
}

/** A chain's root and its number of leaves. */
export interface ChainRoot {
  readonly merkleRootHex: string
  readonly merkleLeafCount: number
}

/** Returns the root and the number of leaves of a snapshot's rows. */
export function playerChainRoot(snapshot: WorldSnapshot, genesis = snapshot.mainNodeId): ChainRoot {
  const { tree } = WorldCopy.parse(snapshot).copy.withGenesis(genesis)
  return { merkleRootHex: tree.rootHex, merkleLeafCount: tree.size }
}

/** Returns the key of the leaf that a merged node changed, for reports. */
export function changedKey(node: ChainNode): { stableKey: string; removed: boolean } {
  const own = ownKey(node)
  return { stableKey: own ?? node.stableKey, removed: own === undefined }
}
