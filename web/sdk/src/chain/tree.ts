import { compareKeys } from './keys.js'
import { type HexDigest, digestText, leafDigest, parentDigest } from './digest.js'

/** One leaf: its key, its digest, and its node. */
export interface Leaf<T> {
  readonly key: string
  readonly digest: HexDigest
  readonly value: T
}

/** One change of a tree: the leaf under a key, or its removal. */
export interface Edit<T> {
  readonly key: string
  readonly leaf?: Leaf<T>
}

/**
 * An immutable Merkle tree over leaves in chain order. An edit returns another
 * tree and rehashes only the necessary part: for a replaced leaf its path to the top,
 * for an added or a removed leaf also everything to its right.
 */
export class MerkleTree<T> {
  readonly leaves: readonly Leaf<T>[]
  /** The digests of each level: first the leaves, last the root alone; empty without leaves. */
  readonly #levels: readonly (readonly HexDigest[])[]

  private constructor(leaves: readonly Leaf<T>[], levels: readonly (readonly HexDigest[])[]) {
    this.leaves = leaves
    this.#levels = levels
  }

  /** The tree without leaves. */
  static empty<T>(): MerkleTree<T> {
    return new MerkleTree<T>([], [])
  }

  /** The number of leaves. A root alone does not determine it: compare it as well. */
  get size(): number {
    return this.leaves.length
  }

  /** The root: 64 lower-case hex digits. */
  get rootHex(): string {
    return digestText(this.#levels.at(-1)?.[0] ?? leafDigest(''))
  }

  /** The leaf with a key; undefined if there is none. */
  get(key: string): Leaf<T> | undefined {
    const index = this.#search(key)
    const leaf = this.leaves[index]
    return leaf?.key === key ? leaf : undefined
  }

  /** Applies several edits at the same time. If a key has several, the last one counts. */
  apply(edits: Iterable<Edit<T>>): MerkleTree<T> {
    const last = new Map<string, Leaf<T> | undefined>()
    for (const edit of edits) last.set(edit.key, edit.leaf)
    const leaves = [...this.leaves]
    const replaced = new Set<number>()
    const moved: [string, Leaf<T> | undefined][] = []
    for (const [key, leaf] of last) {
      const index = this.#search(key)
      const there = this.leaves[index]?.key === key
      if (there && leaf !== undefined) {
        leaves[index] = leaf
        replaced.add(index)
      } else if (there || leaf !== undefined) {
        moved.push([key, leaf])
      }
    }
    let shifted = leaves.length
    for (const [key, leaf] of moved) {
      const index = searchKey(leaves, key)
      leaves.splice(index, leaf === undefined ? 1 : 0, ...(leaf === undefined ? [] : [leaf]))
      shifted = Math.min(shifted, index)
    }
    if (replaced.size === 0 && moved.length === 0) return this
    return new MerkleTree(leaves, rehash(this.#levels, leaves, replaced, moved.length === 0 ? Infinity : shifted))
  }

  /** The index of the first leaf that does not come before a key. */
  #search(key: string): number {
    return searchKey(this.leaves, key)
  }
}

function searchKey<T>(leaves: readonly Leaf<T>[], key: string): number {
  let low = 0
  let high = leaves.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const leaf = leaves[middle]
    if (leaf !== undefined && compareKeys(leaf.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Builds the levels over leaves of which those at some indexes, and all from
 * `shifted` on, differ from the leaves of the old levels.
 */
function rehash<T>(
  old: readonly (readonly HexDigest[])[],
  leaves: readonly Leaf<T>[],
  replaced: Iterable<number>,
  shifted: number,
): readonly (readonly HexDigest[])[] {
  if (leaves.length === 0) return []
  let below: readonly HexDigest[] = leaves.map((leaf) => leaf.digest)
  const levels = [below]
  let dirty = new Set(replaced)
  let from = shifted
  while (below.length > 1) {
    const before = old[levels.length]
    // A top that has become an inner level lacks the digests to its right, and a level
    // whose width changed may have paired its last digest with itself.
    from = Math.floor(Math.min(from, (old[levels.length - 1]?.length ?? 0) === below.length ? Infinity : below.length - 1) / 2)
    dirty = new Set(Array.from(dirty, (index) => index >> 1))
    const width = (below.length + 1) >> 1
    const level: HexDigest[] = new Array<HexDigest>(width)
    for (let i = 0; i < width; i++) {
      const kept = i < from && !dirty.has(i) ? before?.[i] : undefined
      level[i] = kept ?? parentAt(below, i)
    }
    levels.push(level)
    below = level
  }
  return levels
}

/** Returns the parent at an index; an odd level pairs its last digest with itself. */
function parentAt(below: readonly HexDigest[], index: number): HexDigest {
  const left = below[2 * index]
  if (left === undefined) throw new RangeError(`a level of ${below.length} digests has no parent ${index}`)
  return parentDigest(left, below[2 * index + 1] ?? left)
}
