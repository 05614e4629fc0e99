import type { Bounds, Occupant, Space } from './rows.js'

/** One changed leaf of a `playerChainNotify`. */
export interface PlayerChainNodeRef {
  readonly stableKey: string
  /** Where the leaf is: in the chain before if it was removed, else in the one after. */
  readonly leafIndex: number
  readonly removed?: boolean
  readonly updatedAt?: string
}

/** What changed in the chain with an event. */
export interface PlayerChainNotify {
  readonly updatedAt: string
  readonly nodes: readonly PlayerChainNodeRef[]
}

/** The genesis leaf as a node. */
export interface GenesisNode {
  readonly kind: 'genesis'
  readonly stableKey: string
  readonly text: string
}

/** The header leaf as a node. */
export interface HeaderNode {
  readonly kind: 'header'
  readonly stableKey: string
  readonly sid: string
  readonly bounds: Bounds
}

/** A leaf that the chain has not, or no longer. */
export interface RemovedNode {
  readonly kind: 'occupant' | 'space'
  readonly stableKey: string
  readonly removed: true
}

/** A row of the map as a node. */
export interface OccupantNode {
  readonly kind: 'occupant'
  readonly stableKey: string
  readonly removed: false
  readonly occupant: Occupant
}

/** A space as a node. */
export interface SpaceNode {
  readonly kind: 'space'
  readonly stableKey: string
  readonly removed: false
  readonly space: Space
}

/** One node of the player chain as it travels. */
export type PlayerChainNode = GenesisNode | HeaderNode | RemovedNode | OccupantNode | SpaceNode

/** The reply to `getPlayerChainNode`; `rev` is absent where a host gives none. */
export interface PlayerChainNodeReply {
  readonly node: PlayerChainNode
  readonly rev?: number
}

/** The reply to `getPlayerChainNodes`: nodes in the order asked, all at one rev. */
export interface PlayerChainNodesReply {
  readonly nodes: readonly PlayerChainNode[]
  readonly rev?: number
  readonly merkleRootHex?: string
  readonly merkleLeafCount?: number
}
