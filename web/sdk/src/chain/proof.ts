import { canonicalJson } from '../json/canonical.js'
import type { ChainNode, ChainProofReply, Json } from '../protocol/contract.js'
import { MismatchError } from '../protocol/errors.js'
import { isHexDigest } from '../protocol/text.js'
import { digestText, leafDigest, parentDigest } from './digest.js'
import { mustAnswerFor, readNode } from './node.js'
import { ChainError } from './row.js'

/** One level of a proof: the computed digest and its sibling at this level. */
export interface ProofLevel {
  readonly hex: string
  /** The sibling's digest; the computed digest itself if the level has no sibling. */
  readonly siblingHex: string
  readonly siblingSide: 'left' | 'right'
}

/** A row that was proved to be in a world, with the path from its leaf up to the root. */
export interface ProvedLeaf {
  readonly node: ChainNode
  readonly leafIndex: number
  readonly levels: readonly ProofLevel[]
  readonly merkleRootHex: string
  readonly merkleLeafCount: number
  readonly rev: number
}

/**
 * Checks the reply to `getPlayerChainProof` from its row alone: it hashes the row and computes the
 * path up to the root, with the sides that index and leaf count determine. A proof for another key
 * or of another form is a `ChainError`, a proof that leads to another root a `MismatchError`.
 */
export function proveLeaf(reply: ChainProofReply, stableKey: string): ProvedLeaf {
  const node = readNode(reply.node)
  mustAnswerFor(node, stableKey)
  const { leafIndex, merkleLeafCount, merkleRootHex, rev, path } = reply
  if (!Number.isInteger(leafIndex) || leafIndex < 0 || leafIndex >= merkleLeafCount) throw new ChainError(`leaf ${leafIndex} is none of ${merkleLeafCount}`)
  const encoder = new TextEncoder()
  let digest = leafDigest(payloadOf(node))
  const levels: ProofLevel[] = []
  for (let [index, width] = [leafIndex, merkleLeafCount]; width > 1; [index, width] = [index >> 1, (width + 1) >> 1]) {
    const step = path[levels.length]
    const side = index % 2 === 1 ? 'left' : 'right'
    if (step?.side !== side || !isHexDigest(step.hex)) throw new ChainError('the path of the proof does not fit index and leaf count')
    const alone = side === 'right' && index + 1 >= width
    if (alone && step.hex !== digestText(digest)) throw new ChainError('a digest without a sibling is paired with another one')
    levels.push({ hex: digestText(digest), siblingHex: step.hex, siblingSide: side })
    const sibling = encoder.encode(step.hex)
    digest = side === 'left' ? parentDigest(sibling, digest) : parentDigest(digest, sibling)
  }
  if (path.length !== levels.length) throw new ChainError('the path of the proof is too long')
  const root = digestText(digest)
  if (root !== merkleRootHex) throw new MismatchError(merkleRootHex, merkleLeafCount, root, merkleLeafCount)
  return { node, leafIndex, levels, merkleRootHex, merkleLeafCount, rev }
}

function payloadOf(node: ChainNode): string {
  switch (node.kind) {
    case 'genesis': return node.text
    case 'header': return canonicalJson({ v: 1, sid: node.sid, bounds: { ...node.bounds } })
    case 'occupant': case 'space':
      if (node.removed) throw new ChainError('a removed row has no proof')
      return canonicalJson((node.kind === 'space' ? node.space : node.occupant) as unknown as Json)
  }
}
