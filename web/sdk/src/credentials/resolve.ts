import type { NodeIdentity } from '../http/options.js'
import { OptionError } from '../protocol/errors.js'
import { normalizeNodeId } from '../protocol/text.js'
import { deriveNodeIdFromMaterialAsync, isPasswHash, nodeCredentialsMaterialFromHumanPassphrase } from './derive.js'

/**
 * The credentials of a node: its id, or the root key from which the id is derived,
 * and either its phrase or the phrase's hash.
 */
export interface NodeCredentials {
  /** The node's id. Without it, it is derived from `rootKey` once, which takes some tenths of a second. */
  readonly nodeId?: string
  /** The host's root key; needed only without `nodeId`. */
  readonly rootKey?: string
  /** The phrase. It is hashed here and never sent. A secret. */
  readonly phrase?: string
  /** The hash of the phrase. A secret. */
  readonly passwHash?: string
  /** The older name of `passwHash`. */
  readonly passw?: string
}

/** Returns the hash in some credentials; incomplete ones are an `OptionError`. */
export function hashOf(node: NodeCredentials): string {
  const given = node.passwHash ?? node.passw
  // A complete credential material has both, and they match.
  if (given !== undefined) {
    if (!isPasswHash(given)) throw new OptionError('passwHash must be exactly 64 lower-case hex digits')
    return given
  }
  if (node.phrase === undefined) throw new OptionError('node credentials are incomplete: set phrase or passwHash')
  return nodeCredentialsMaterialFromHumanPassphrase(node.phrase)
}

/** Returns the id and the hash of some credentials. */
export async function resolveNode(node: NodeCredentials): Promise<NodeIdentity> {
  checkNode(node)
  const passwHash = hashOf(node)
  const nodeId = normalizeNodeId(node.nodeId ?? '')
  if (nodeId !== '') return { nodeId, passwHash }
  return { nodeId: await deriveNodeIdFromMaterialAsync({ material: passwHash, rootKey: node.rootKey ?? '' }), passwHash }
}

/** Checks that some credentials are complete, without deriving an id. */
export function checkNode(node: NodeCredentials): void {
  hashOf(node)
  if (!node.nodeId?.trim() && !node.rootKey?.trim()) {
    throw new OptionError('node credentials are incomplete: set nodeId, or rootKey to derive it from')
  }
}
