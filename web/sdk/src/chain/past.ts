import type { WorldSnapshot } from '../protocol/contract.js'
import type { WorldEvent } from '../protocol/events.js'
import { WorldCopy } from './copy.js'
import { mustAnswerFor } from './node.js'
import { type EventState, readEventState } from './notify.js'
import { ChainError } from './row.js'

/**
 * A world of the past: a snapshot with the events after it, each of which proves
 * its rows. It needs no host, and it is immutable: an event produces another one.
 */
export class PastWorld {
  /** Whether root and leaf count equal those that an event of this rev states. */
  readonly proved: boolean
  readonly #copy: WorldCopy

  private constructor(copy: WorldCopy, proved: boolean) {
    this.#copy = copy
    this.proved = proved
  }

  /** Reads a parsed snapshot: a `ChainError` if it is malformed, a `MismatchError` if its rows do not match its stated root and count. */
  static of(snapshot: unknown): PastWorld {
    const { copy, stated } = WorldCopy.parse(snapshot)
    const wrong = stated.merkleRootHex === undefined ? undefined : copy.compare(stated.merkleRootHex, stated.merkleLeafCount)
    if (wrong !== undefined) throw wrong
    return new PastWorld(copy, false)
  }

  /** The rows, with the root and the leaf count computed from them. */
  get snapshot(): WorldSnapshot {
    return this.#copy.snapshot
  }

  /** The rev of the map; undefined if the snapshot stated none. */
  get rev(): number | undefined {
    return this.#copy.head.rev
  }

  /**
   * Applies the next event; an event from before the snapshot changes nothing.
   * It throws a `MismatchError` if the rows do not lead to the stated root and count,
   * and a `ChainError` if events are missing, carry no rows, or another session
   * begins.
   */
  after(event: WorldEvent): PastWorld {
    if (event.kind === 'session:reset' || event.kind === 'session:resync') throw new ChainError('another snapshot is needed after this event')
    const state = readEventState(event.data)
    const { rev, notify, merkleRootHex } = state
    const have = this.rev
    if (rev === undefined || have === undefined || merkleRootHex === undefined) throw new ChainError('the event or the snapshot states no rev or no root')
    if (rev < have) return this
    const changes = notify !== undefined && rev > have
    if (rev !== have + (changes ? 1 : 0)) throw new ChainError(`the event is of rev ${rev}, the map of rev ${have}: events are missing`)
    const copy = (changes ? this.#copy.merge(nodesOf(state)) : this.#copy).at(rev, event.seq)
    const wrong = copy.compare(merkleRootHex, state.merkleLeafCount)
    if (wrong !== undefined) throw wrong
    return new PastWorld(copy, true)
  }
}

/** Returns the rows of an event in the order of its notify; a `ChainError` if it carries others or none. */
export function nodesOf({ inline = [], notify }: EventState): NonNullable<EventState['inline']> {
  const refs = notify?.nodes ?? []
  if (inline.length !== refs.length) throw new ChainError(`there are ${inline.length} inline nodes for ${refs.length} refs`)
  for (const [i, node] of inline.entries()) mustAnswerFor(node, refs[i]?.stableKey ?? '')
  return inline
}
