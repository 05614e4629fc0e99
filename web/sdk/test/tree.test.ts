import assert from 'node:assert/strict'
import { it } from 'node:test'
import { leafDigest } from '../src/chain/digest.js'
import { type Edit, MerkleTree } from '../src/chain/tree.js'

it('an edited tree equals a tree that is built from scratch', () => {
  let tree = MerkleTree.empty<number>()
  let seed = 7
  const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below
  for (let round = 0; round < 1500; round++) {
    const before = tree.rootHex
    const old = tree
    const edits: Edit<number>[] = Array.from({ length: 1 + next(4) }, () => {
      const key = `human:${next(round < 700 ? 40 : 200)}`
      return next(3) === 0 ? { key } : { key, leaf: { key, digest: leafDigest(String(next(1000))), value: round } }
    })
    tree = tree.apply(edits)
    const rebuilt = MerkleTree.empty<number>().apply(tree.leaves.map((leaf) => ({ key: leaf.key, leaf })))
    assert.equal(tree.rootHex, rebuilt.rootHex, `round ${round}`)
    assert.equal(old.rootHex, before, 'the previous tree was changed')
    for (const edit of edits.slice(-1)) assert.equal(tree.get(edit.key), edit.leaf)
  }
})

it('changes one of 100 leaves in well under a millisecond', () => {
  const leaves = Array.from({ length: 100 }, (_, i) => ({ key: `human:${i}`, digest: leafDigest(String(i)), value: i }))
  let tree = MerkleTree.empty<number>().apply(leaves.map((leaf) => ({ key: leaf.key, leaf })))
  const times: number[] = []
  for (let i = 0; i < 2000; i++) {
    const leaf = { key: `human:${i % 100}`, digest: leafDigest(`changed ${i}`), value: i }
    const start = performance.now()
    tree = tree.apply([{ key: leaf.key, leaf }])
    times.push(performance.now() - start)
  }
  const median = times.sort((a, b) => a - b)[1000] ?? Infinity
  assert.ok(median < 1, `the median edit took ${median} ms`)
})
