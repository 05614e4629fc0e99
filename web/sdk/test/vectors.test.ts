import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as sdk from '../src/index.js'
import { WorldCopy } from '../src/chain/copy.js'
import { digestText, leafDigest } from '../src/chain/digest.js'
import { MerkleTree } from '../src/chain/tree.js'
import { rootKeyFromSecret } from '../src/credentials/derive.js'
import { normalizeSpaces } from '../src/protocol/text.js'
import { vectors } from './repository.js'

interface ChainVectors {
  cases: { name: string; genesis: string; snapshot: unknown; leaves: { stableKey: string; leafDigestHex: string }[]; merkleRootHex: string; merkleLeafCount: number }[]
  merkleOnly: { leafPayloads: string[]; rootHex: string }[]
}

describe('chain.json', () => {
  const { cases, merkleOnly } = vectors('chain/testdata/chain.json') as ChainVectors
  for (const c of cases) {
    it(c.name, () => {
      const { tree } = WorldCopy.parse(c.snapshot).copy.withGenesis(c.genesis)
      assert.deepEqual(
        tree.leaves.map((leaf) => ({ stableKey: leaf.key, leafDigestHex: digestText(leaf.digest) })),
        c.leaves.map(({ stableKey, leafDigestHex }) => ({ stableKey, leafDigestHex })),
      )
      assert.deepEqual(sdk.playerChainRoot(c.snapshot as sdk.WorldSnapshot, c.genesis), {
        merkleRootHex: c.merkleRootHex, merkleLeafCount: c.merkleLeafCount,
      })
    })
  }
  for (const c of merkleOnly) {
    it(`${c.leafPayloads.length} leaves`, () => {
      const leaves = c.leafPayloads.map((payload, i) => ({ key: `human:${String(i).padStart(6, '0')}`, digest: leafDigest(payload), value: undefined }))
      assert.equal(MerkleTree.empty<undefined>().apply(leaves.map((leaf) => ({ key: leaf.key, leaf }))).rootHex, c.rootHex)
    })
  }
  it('contains cases', () => { assert.ok(cases.length > 0 && merkleOnly.length > 0) })
})

interface MergeVectors {
  merge: { name: string; snapshot: sdk.WorldSnapshot; node: sdk.PlayerChainNode; outcome: string; result: sdk.WorldSnapshot }[]
  nodeBodies: { name: string; body: unknown; outcome: string; result: sdk.PlayerChainNode }[]
  notifies: { name: string; raw: unknown; outcome: string; result: unknown }[]
  ssePayloads: { name: string; raw: unknown; outcome: string; result: unknown }[]
  fetchOrder: { nodes: sdk.PlayerChainNodeRef[]; ordered: sdk.PlayerChainNodeRef[] }[]
}

/** Reports whether a value has the listed members, recursively. */
function contains(got: unknown, listed: unknown): boolean {
  if (Array.isArray(listed)) return Array.isArray(got) && got.length === listed.length && listed.every((item, i) => contains(got[i], item))
  if (typeof listed === 'object' && listed !== null) {
    return typeof got === 'object' && got !== null && Object.entries(listed).every(([name, value]) => contains((got as Record<string, unknown>)[name], value))
  }
  return got === listed
}

describe('merge.json', () => {
  const v = vectors('chain/testdata/merge.json') as MergeVectors
  for (const c of v.merge) {
    it(c.name, () => {
      const before = structuredClone(c.snapshot)
      if (c.outcome === 'error') {
        assert.throws(() => sdk.mergeSnapshotWithPlayerChainNode(c.snapshot, c.node), sdk.ChainError)
        return
      }
      const got = sdk.mergeSnapshotWithPlayerChainNode(c.snapshot, c.node)
      assert.deepEqual(c.snapshot, before, 'the previous snapshot was changed')
      assert.equal(got.sid, c.result.sid)
      assert.deepEqual(got.worldMap.bounds, c.result.worldMap.bounds)
      assert.equal(got.worldMap.occupants.length, c.result.worldMap.occupants.length)
      for (const row of c.result.worldMap.occupants) {
        assert.ok(got.worldMap.occupants.some((other) => contains(other, row)), `${JSON.stringify(row)} is missing`)
      }
      assert.ok(contains(got.spaces, c.result.spaces))
    })
  }
  for (const c of v.nodeBodies) {
    it(`node body: ${c.name}`, () => {
      if (c.outcome === 'error') {
        assert.throws(() => sdk.parsePlayerChainNodeRpcBody(c.body), sdk.ChainError)
        return
      }
      const got = sdk.parsePlayerChainNodeRpcBody(c.body)
      const view = 'occupant' in got ? { ...got, occupant: sdk.readOccupant(got.occupant) } : got
      assert.ok(contains(view, c.result), JSON.stringify(view))
    })
  }
  for (const c of v.notifies) {
    it(`notify: ${c.name}`, () => { assert.deepEqual(sdk.parsePlayerChainFanoutNotify(c.raw), c.outcome === 'ok' ? c.result : undefined) })
  }
  for (const c of v.ssePayloads) {
    it(`payload: ${c.name}`, () => { assert.deepEqual(sdk.parsePlayerChainFanoutNotifyFromSsePayload(c.raw), c.outcome === 'ok' ? c.result : undefined) })
  }
  it('orders fetches', () => {
    assert.ok(v.fetchOrder.length > 0)
    for (const c of v.fetchOrder) assert.deepEqual(sdk.sortNodeRefsForSerializedFetch(c.nodes), c.ordered)
  })
})

interface NotifyVectors {
  genesis: string
  cases: { name: string; prev: sdk.WorldSnapshot; next: sdk.WorldSnapshot; notify: sdk.PlayerChainNotify | null; fetchOrder: string[] }[]
}

describe('notify.json', () => {
  const v = vectors('chain/testdata/notify.json') as NotifyVectors
  for (const c of v.cases) {
    it(c.name, () => {
      const prev = WorldCopy.parse(c.prev).copy.withGenesis(v.genesis)
      const next = WorldCopy.parse(c.next).copy.withGenesis(v.genesis)
      const refs = c.notify === null ? [] : sdk.sortNodeRefsForSerializedFetch(sdk.parsePlayerChainFanoutNotify(c.notify)?.nodes ?? [])
      if (c.notify !== null) assert.deepEqual(refs.map((ref) => ref.stableKey), c.fetchOrder)
      const nodes = refs.filter((ref) => ref.stableKey !== sdk.PLAYER_CHAIN_GENESIS_STABLE_KEY).map((ref): sdk.PlayerChainNode => nodeOf(c.next, next, ref.stableKey))
      const merged = prev.merge(nodes)
      assert.equal(merged.tree.rootHex, next.tree.rootHex, 'the notify does not name all differences')
      assert.equal(merged.tree.size, next.tree.size)
    })
  }
})

function nodeOf(snapshot: sdk.WorldSnapshot, copy: WorldCopy, stableKey: string): sdk.PlayerChainNode {
  if (stableKey === sdk.PLAYER_CHAIN_HEADER_STABLE_KEY) return { kind: 'header', stableKey, sid: snapshot.sid, bounds: snapshot.worldMap.bounds }
  const kind = stableKey.startsWith('space:') ? 'space' : 'occupant'
  const row = copy.tree.get(stableKey)?.value
  if (row === undefined) return { kind, stableKey, removed: true }
  return kind === 'space' ? { kind, stableKey, removed: false, space: row as sdk.Space } : { kind, stableKey, removed: false, occupant: row as sdk.Occupant }
}

interface CredentialVectors {
  rootKeys: string[]
  phrases: { label: string; phrase: string; normalised: string; passwHash: string; nodeIds: string[] }[]
  rootKeyFromSecret: { secretHex: string; rootKey: string }[]
}

describe('credentials.json', () => {
  const v = vectors('internal/creds/testdata/credentials.json') as CredentialVectors
  for (const [i, c] of v.phrases.entries()) {
    it(c.label, async () => {
      assert.equal(normalizeSpaces(c.phrase), c.normalised)
      assert.equal(sdk.nodeCredentialsMaterialFromHumanPassphrase(c.phrase), c.passwHash)
      // A derivation takes half a second, so each phrase is tested with only one of the keys in turn.
      const at = i % v.rootKeys.length
      const rootKey = v.rootKeys[at] ?? ''
      assert.equal(await sdk.deriveNodeIdFromMaterialAsync({ material: c.passwHash, rootKey }), c.nodeIds[at])
    })
  }
  it('also derives synchronously, and derives root keys from secrets', () => {
    const [c] = v.phrases
    const [secret] = v.rootKeyFromSecret
    assert.ok(c && secret)
    const made = sdk.nodeCredentialFromHumanPhrase({ phrase: c.phrase, rootKey: ` ${v.rootKeys[0]?.toUpperCase() ?? ''} ` })
    assert.deepEqual(made, { phrase: c.normalised, passwHash: c.passwHash, nodeId: c.nodeIds[0] })
    assert.equal(rootKeyFromSecret(Buffer.from(secret.secretHex, 'hex')), secret.rootKey)
  })
  it('generates a new phrase of ten words each time', () => {
    const phrases = new Set(Array.from({ length: 50 }, () => sdk.generateNodePassphrase()))
    assert.equal(phrases.size, 50)
    for (const phrase of phrases) assert.equal(phrase.split(' ').length, 10)
  })
})
