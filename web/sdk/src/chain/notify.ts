import { asArray, asBoolean, asNumber, asObject, asPosition, asText, member } from '../json/read.js'
import type { ChainNode, JsonObject, NodeRef, Notify } from '../protocol/contract.js'
import { readNode } from './node.js'
import { ChainError } from './row.js'

/** One changed leaf of a `playerChainNotify`; some hosts also set `removed` for leaves that exist. */
export interface PlayerChainNodeRef extends Omit<NodeRef, 'removed'> {
  readonly removed?: boolean
}

/** The changes of the chain by one event. */
export interface PlayerChainNotify extends Omit<Notify, 'nodes'> {
  readonly nodes: readonly PlayerChainNodeRef[]
}

/** The maximum number of refs in a notify; for a larger one the client makes one full read. */
export const maxNotifyNodes = 1 << 16

/** Reads a parsed `playerChainNotify`; undefined if it is malformed. */
export function parsePlayerChainFanoutNotify(raw: unknown): PlayerChainNotify | undefined {
  const notify = asObject(raw)
  const updatedAt = asText(member(notify, 'updatedAt'))
  const list = asArray(member(notify, 'nodes'))
  if (!updatedAt || list === undefined || list.length > maxNotifyNodes) return undefined
  const nodes: PlayerChainNodeRef[] = []
  for (const item of list) {
    const ref = readRef(asObject(item))
    if (ref === undefined) return undefined
    nodes.push(ref)
  }
  return { updatedAt, nodes }
}

/** Reads the `playerChainNotify` of an event's parsed data; undefined if there is none or it is malformed. */
export function parsePlayerChainFanoutNotifyFromSsePayload(payload: unknown): PlayerChainNotify | undefined {
  return parsePlayerChainFanoutNotify(member(asObject(payload), 'playerChainNotify'))
}

function readRef(item: JsonObject | undefined): PlayerChainNodeRef | undefined {
  const stableKey = asText(member(item, 'stableKey'))
  const leafIndex = asNumber(member(item, 'leafIndex'))
  const flag = member(item, 'removed')
  const removed = asBoolean(flag)
  if (!stableKey || leafIndex === undefined || (flag !== undefined && removed === undefined)) return undefined
  const updatedAt = asText(member(item, 'updatedAt'))
  return {
    stableKey,
    leafIndex,
    ...(removed === undefined ? {} : { removed }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  }
}

/**
 * Returns the refs in the order in which a client that reads nodes one by one requests them:
 * removals by descending index, then the others by ascending index. Equal ones
 * keep their order; the list is not changed.
 */
export function sortNodeRefsForSerializedFetch(refs: readonly PlayerChainNodeRef[]): PlayerChainNodeRef[] {
  const removals = refs.filter((ref) => ref.removed === true).sort((a, b) => b.leafIndex - a.leafIndex)
  const others = refs.filter((ref) => ref.removed !== true).sort((a, b) => a.leafIndex - b.leafIndex)
  return [...removals, ...others]
}

/** The part of an event's data about the chain. */
export interface EventState {
  readonly rev?: number
  /** Absent on hosts that state no root. */
  readonly merkleRootHex?: string
  readonly merkleLeafCount: number
  /** Absent if the map did not change. */
  readonly notify?: PlayerChainNotify
  /** The changed rows, if the event carries them. */
  readonly inline?: readonly ChainNode[]
}

/** Reads the rev of an event; undefined if it states none. */
export function eventRev(data: JsonObject): number | undefined {
  return asPosition(member(data, 'rev'))
}

/** Reads the chain's part of an event's data; a malformed notify or node is a `ChainError`. */
export function readEventState(data: JsonObject): EventState {
  const rev = eventRev(data)
  const merkleRootHex = asText(member(data, 'merkleRootHex'))
  const raw = member(data, 'playerChainNotify')
  const notify = parsePlayerChainFanoutNotify(raw)
  if (notify === undefined && raw !== undefined && raw !== null) throw new ChainError('the playerChainNotify cannot be read')
  const nodes = asArray(member(data, 'playerChainNodes'))
  if (nodes !== undefined && nodes.length > maxNotifyNodes) throw new ChainError('an event carries too many nodes')
  return {
    ...(rev === undefined ? {} : { rev }),
    ...(merkleRootHex ? { merkleRootHex } : {}),
    merkleLeafCount: asPosition(member(data, 'merkleLeafCount')) ?? 0,
    ...(notify === undefined ? {} : { notify }),
    ...(nodes === undefined ? {} : { inline: nodes.map(readNode) }),
  }
}
