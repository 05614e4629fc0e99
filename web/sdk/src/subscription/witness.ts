import type { WorldCopy, Stated } from '../chain/copy.js'
import type { EventState } from '../chain/notify.js'
import { WentBackError } from '../protocol/errors.js'

/** The number of remembered roots: as many revs as a host keeps readable (protocol reference, `atRev`). */
const maxVerifiedRevs = 1024

/**
 * How many consecutive full reads may be older than the known position or rev, which takes 4 to 8 s: the host may not
 * have received them from another host yet. One more means that it went back.
 */
const mostOlderReads = 4

/** A full read that is older than what is known. */
export interface OlderRead {
  readonly reason: string
  /** The highest verified rev. */
  readonly newest: number
  /** Set once the host has sent too many of them. */
  readonly wentBack: WentBackError | undefined
}

/** A root and a number of leaves, as text to compare. */
const rootText = (rootHex: string, leafCount: number | undefined): string => `${rootHex} ${leafCount}`

/**
 * Remembers what a host stated about its world, and finds statements that contradict
 * each other: "rev and seq never go back" (protocol reference, "Words"). It finds a
 * world that went back even if what the host states now verifies.
 */
export class Witness {
  #sid: string | undefined
  #seq: number | undefined
  /** The roots of the last verified revs, in ascending order. */
  #roots = new Map<number, string>()
  #rev = -1
  /** A position at which the newest of them was reached, if it is known. */
  #revSeq: number | undefined
  /** The number of consecutive full reads that were older than what is known. */
  #older = 0

  /** Sets the session of the following statements, and forgets those of another one, which may begin anywhere. */
  session(sid: string): void {
    if (this.#sid !== undefined && this.#sid !== sid) this.forget()
    this.#sid = sid
  }

  /** Forgets everything: the session was reset. */
  forget(): void {
    this.#sid = this.#seq = undefined
    this.#forgetRoots()
  }

  #newest(sid: string): number {
    return this.#sid === sid ? Math.max(this.#rev, 0) : 0
  }

  /** Notes that the host did not reach the requested rev. */
  late(): void {
    this.#older++
  }

  /** Returns a full read that is older than the stream's position, or than the known rev while the host may still have a newer one. */
  olderThan({ head: { sid, rev, seq } }: WorldCopy, cursor: number | undefined): OlderRead | undefined {
    const newest = this.#newest(sid)
    if (seq !== undefined && cursor !== undefined && seq < cursor) {
      const wentBack = ++this.#older === mostOlderReads + 1 ? this.position(seq) : undefined
      return { reason: `the snapshot is of event ${seq}, the stream is at ${cursor}`, newest, wentBack }
    }
    if (rev === undefined || rev >= newest || this.#older >= mostOlderReads) return undefined
    this.#older++
    return { reason: `the snapshot is of rev ${rev}, the events are at ${newest}`, newest, wentBack: undefined }
  }

  /** Takes a position at which the events continue, or the id of an event. An earlier one than before is a contradiction. */
  position(seq: number): WentBackError | undefined {
    const before = this.#seq
    this.#seq = seq
    if (before === undefined || seq >= before) return undefined
    this.#forgetRoots()
    return new WentBackError('event', before, seq)
  }

  /** Takes the id, and the rev and root, that an event states. A later event with a lower rev than an earlier one is a contradiction too. */
  event(seq: number | undefined, { rev, merkleRootHex, merkleLeafCount }: EventState): WentBackError | undefined {
    const newest = this.#rev
    if (seq === undefined || this.#revSeq === undefined || seq <= this.#revSeq || rev === undefined || rev >= newest) return this.root(rev, merkleRootHex, merkleLeafCount)
    this.#forgetRoots()
    return new WentBackError('rev', newest, rev)
  }

  /** Takes the root and leaf count that the host states for a rev. Others than the verified ones are a contradiction. */
  root(rev: number | undefined, rootHex: string | undefined, leafCount: number | undefined): WentBackError | undefined {
    const known = rev === undefined ? undefined : this.#roots.get(rev)
    if (rev === undefined || rootHex === undefined || known === undefined || known === rootText(rootHex, leafCount)) return undefined
    this.#forgetRoots()
    return new WentBackError('rev', rev, rev)
  }

  /** Takes what a full read states. Unlike an event, it is of the present: a rev below a verified one is a contradiction too. */
  whole({ head: { sid, rev } }: WorldCopy, stated: Stated): WentBackError | undefined {
    this.session(sid)
    this.#older = 0
    const newest = this.#newest(sid)
    if (rev === undefined || rev >= newest) return this.root(rev, stated.merkleRootHex, stated.merkleLeafCount)
    this.#forgetRoots()
    return new WentBackError('rev', newest, rev)
  }

  /** Remembers the rev, root and leaf count of a verified copy, and forgets the oldest ones. */
  verified({ head: { rev, seq }, tree }: WorldCopy): void {
    if (rev === undefined || rev <= this.#rev) return
    this.#rev = rev
    this.#revSeq = seq
    this.#roots.set(rev, rootText(tree.rootHex, tree.size))
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= maxVerifiedRevs) break
      this.#roots.delete(oldest)
    }
  }

  #forgetRoots(): void {
    this.#roots.clear()
    this.#rev = -1
  }
}
