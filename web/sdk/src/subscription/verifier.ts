import type { WorldCopy, Stated } from '../chain/copy.js'
import type { EventState } from '../chain/notify.js'
import type { ChainNode } from '../protocol/contract.js'
import type { MismatchError } from '../protocol/errors.js'
import type { Verification } from './types.js'

/** The use of an event for the copy: none, only its root is compared, or its rows are merged. */
export type EventUse = 'nothing' | 'check' | 'merge'

/**
 * The result of a comparison: nothing was compared, root and count are equal, they
 * differ but may still become equal, or they differ.
 */
export type Finding =
  | { readonly found: 'nothing' | 'equal' }
  | { readonly found: 'unsettled' | 'mismatch'; readonly error: MismatchError }

/**
 * A copy of the world and what is known about it: the subscriber in the
 * protocol reference, "A live, verified copy", without streams, requests and timers.
 */
export class Verifier {
  copy: WorldCopy | undefined
  known: Verification = 'unread'
  /** The highest rev of any row or snapshot merged so far. */
  #ahead = 0
  /**
   * Whether rows of unknown rev were merged since the copy was last verified:
   * unequal roots may then become equal with later events.
   */
  #loose = false

  constructor(readonly verifying: boolean) {}

  /** Returns the use of an event. Without revs every event is new. */
  use(event: EventState): EventUse {
    const have = this.copy?.head.rev
    if (have !== undefined && event.rev !== undefined) {
      if (event.rev < have || (event.rev === have && event.notify !== undefined)) return 'nothing'
    }
    return event.notify === undefined ? 'check' : 'merge'
  }

  /** Replaces the copy with a full read; returns a mismatch if the stated root or count is not that of its rows. */
  replace(copy: WorldCopy, stated: Stated): MismatchError | undefined {
    this.copy = copy
    this.#ahead = copy.head.rev ?? 0
    this.#loose = false
    this.known = 'unverifiable'
    if (!this.verifying || stated.merkleRootHex === undefined) return undefined
    const mismatch = copy.compare(stated.merkleRootHex, stated.merkleLeafCount)
    this.known = mismatch === undefined ? 'verified' : 'mismatch'
    return mismatch
  }

  /**
   * Merges the rows of an event, in their order; `nodesRev` is the highest rev of the
   * rows, undefined if the host stated none. Throws a `ChainError` if a row cannot be
   * read, and then merges nothing.
   */
  merge(copy: WorldCopy, event: EventState, seq: number | undefined, nodes: readonly ChainNode[], nodesRev: number | undefined): Finding {
    this.#move(copy.merge(nodes), event, seq)
    if (nodesRev === undefined) this.#loose = true
    else this.#ahead = Math.max(this.#ahead, nodesRev)
    if (event.merkleRootHex === undefined) this.known = 'unverifiable'
    return this.#compare(event)
  }

  /** Compares the copy with an event that changed nothing. */
  check(copy: WorldCopy, event: EventState, seq: number | undefined): Finding {
    this.#move(copy, event, seq)
    return this.#compare(event)
  }

  /** Ends the time for which unequal roots are tolerated: the copy is a mismatch. */
  settled(): void {
    this.known = 'mismatch'
  }

  /** Sets the copy to a new one at the event's rev and seq. */
  #move(copy: WorldCopy, event: EventState, seq: number | undefined): void {
    this.copy = copy.at(event.rev ?? copy.head.rev, seq ?? copy.head.seq)
  }

  #compare(event: EventState): Finding {
    if (!this.verifying || event.merkleRootHex === undefined || this.copy === undefined) return { found: 'nothing' }
    const exact = event.rev !== undefined && !this.#loose
    if (exact && (event.rev ?? 0) < this.#ahead) {
      this.known = 'catching-up'
      return { found: 'nothing' }
    }
    const error = this.copy.compare(event.merkleRootHex, event.merkleLeafCount)
    if (error === undefined) {
      this.known = 'verified'
      this.#loose = false
      return { found: 'equal' }
    }
    this.known = exact ? 'mismatch' : 'catching-up'
    return { found: exact ? 'mismatch' : 'unsettled', error }
  }
}
