import { PLAYER_CHAIN_HEADER_STABLE_KEY, nodeKindOf } from '../chain/keys.js'
import { mustAnswerFor } from '../chain/node.js'
import { type EventState, type PlayerChainNodeRef, type PlayerChainNotify, sortNodeRefsForSerializedFetch } from '../chain/notify.js'
import { nodesOf } from '../chain/past.js'
import { ChainError } from '../chain/row.js'
import type { ChainNodes, WorldClient } from '../http/client.js'
import type { NodeOptions } from '../http/options.js'
import { type ChainNode, limits } from '../protocol/contract.js'

/** The largest number of rows of one event that are fetched; for more, a full read is cheaper. */
const maxFetch = 4 * limits.maxStableKeys

/** The rows of one event. */
export interface EventRows {
  readonly nodes: readonly ChainNode[]
  /** The highest rev of the rows; absent if the rev of a row is unknown. */
  readonly rev?: number
}

/**
 * Returns the rows that an event changed: from the event itself, from batch reads, or
 * read one by one. Undefined if there are so many that a full read is cheaper.
 */
export async function rowsOf(client: WorldClient, event: EventState, notify: PlayerChainNotify, signal: AbortSignal): Promise<EventRows | undefined> {
  if (event.inline !== undefined) {
    return { nodes: nodesOf({ ...event, notify }), ...(event.rev === undefined ? {} : { rev: event.rev }) }
  }
  if (notify.nodes.length > maxFetch) return undefined
  const refs = sortNodeRefsForSerializedFetch(notify.nodes)
  if (refs.some((ref) => nodeKindOf(ref.stableKey) === undefined)) throw new ChainError('a notify names a key that is no stable key')
  const { session } = client.transport
  // A host that cannot read past revs must at least not reply with rows from before the event.
  const as = session.has('chain-at-rev') === true ? 'atRev' : 'minRev'
  const options: NodeOptions = { signal, ...(event.rev === undefined ? {} : { [as]: event.rev }) }
  return session.has('chain-nodes') === true ? batches(client, refs, options) : oneByOne(client, refs, options)
}

/** Returns the root and leaf count that the host states for a past rev; undefined if it cannot, or no longer. */
export async function rootAt(client: WorldClient, rev: number, signal: AbortSignal): Promise<ChainNodes | undefined> {
  const { session } = client.transport
  if (session.has('chain-at-rev') !== true || session.has('chain-nodes') !== true) return undefined
  try {
    const reply = await client.playerChainNodes([PLAYER_CHAIN_HEADER_STABLE_KEY], { atRev: rev, signal })
    return reply.rev === rev ? reply : undefined
  } catch {
    return undefined
  }
}

async function batches(client: WorldClient, refs: readonly PlayerChainNodeRef[], options: NodeOptions): Promise<EventRows> {
  const all = new Collected()
  for (let from = 0; from < refs.length; from += limits.maxStableKeys) {
    const keys = refs.slice(from, from + limits.maxStableKeys).map((ref) => ref.stableKey)
    const reply = await client.playerChainNodes(keys, options)
    if (reply.nodes.length !== keys.length) throw new ChainError(`${reply.nodes.length} nodes answer for ${keys.length} keys`)
    for (const [i, node] of reply.nodes.entries()) all.add(node, keys[i] ?? '', reply.rev)
  }
  return all.rows
}

async function oneByOne(client: WorldClient, refs: readonly PlayerChainNodeRef[], options: NodeOptions): Promise<EventRows> {
  const all = new Collected()
  for (const { stableKey } of refs) {
    const reply = await client.playerChainNode(stableKey, options)
    all.add(reply.node, stableKey, reply.rev)
  }
  return all.rows
}

/** Collects rows, each checked against its key. */
class Collected {
  readonly #nodes: ChainNode[] = []
  #rev: number | undefined = 0

  add(node: ChainNode, key: string, rev: number | undefined): void {
    mustAnswerFor(node, key)
    this.#nodes.push(node)
    this.#rev = rev === undefined || this.#rev === undefined ? undefined : Math.max(this.#rev, rev)
  }

  get rows(): EventRows {
    return { nodes: this.#nodes, ...(this.#rev === undefined ? {} : { rev: this.#rev }) }
  }
}
