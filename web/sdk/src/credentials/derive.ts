import { scrypt, scryptAsync } from '@noble/hashes/scrypt.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexOf, sha256Hex } from '../chain/digest.js'
import { OptionError } from '../protocol/errors.js'
import { isBlank, isHexDigest, normalizeSpaces } from '../protocol/text.js'
import { words } from './words.js'

const encoder = new TextEncoder()
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u

/** The parameters of scrypt (RFC 7914) that the protocol fixes: 64 MiB. */
const cost = { N: 65_536, r: 8, p: 1, dkLen: 32, maxmem: (64 << 20) + (1 << 20) }

/** The number of words in a generated phrase: 10 words of 2,048 are 110 bits. */
const phraseWords = 10

/** The data that identifies and authenticates a node. `phrase` and `passwHash` are secrets. */
export interface NodeCredentialMaterial {
  /** The phrase that its owner keeps, normalized. It never leaves the program. */
  readonly phrase: string
  /** The hash of the phrase: 64 lower-case hex digits. A bearer secret. */
  readonly passwHash: string
  /** The node's id at hosts with the root key. */
  readonly nodeId: string
}

/** A credential material, and the root key of the node's host. */
export interface DeriveInput {
  /** The hash of a phrase. */
  readonly material: string
  /** The host's root key: any text, trimmed and lower-cased. */
  readonly rootKey: string
}

/** Reports whether a text is a hash of a phrase: exactly 64 lower-case hex digits. */
export function isPasswHash(text: string): boolean {
  return isHexDigest(text)
}

/**
 * Returns the hash of a phrase, which authenticates a node on the wire. Before hashing, every run
 * of white space becomes one space and both ends are trimmed. A phrase that is
 * blank or has a lone surrogate is an `OptionError`, which does not contain it.
 */
export function nodeCredentialsMaterialFromHumanPassphrase(phrase: string): string {
  if (isBlank(phrase)) throw new OptionError('the phrase is empty: it needs at least one word')
  if (loneSurrogate.test(phrase)) throw new OptionError('the phrase has a lone surrogate, which has no UTF-8')
  return sha256Hex(normalizeSpaces(phrase))
}

/**
 * Returns the id of the node that a material belongs to. It takes some tenths of a
 * second and 64 MiB, and blocks the event loop: on a page, or in a program with
 * heartbeats, use `deriveNodeIdFromMaterialAsync`.
 */
export function deriveNodeIdFromMaterial(input: DeriveInput): string {
  return hexOf(scrypt(checked(input.material), saltOf(input.rootKey), cost))
}

/** Returns the same as `deriveNodeIdFromMaterial`, without blocking the event loop. */
export async function deriveNodeIdFromMaterialAsync(input: DeriveInput): Promise<string> {
  return hexOf(await scryptAsync(checked(input.material), saltOf(input.rootKey), cost))
}

function checked(material: string): Uint8Array {
  if (!isPasswHash(material)) throw new OptionError('the material must be exactly 64 lower-case hex digits')
  // The hex text itself is the password, not the bytes that it encodes.
  return encoder.encode(material)
}

function saltOf(rootKey: string): Uint8Array {
  return sha256(encoder.encode(`agent-play:node-id:v1:${rootKey.trim().toLowerCase()}`))
}

/** Returns the root key for a secret's bytes, as a host derives it from a secret file. */
export function rootKeyFromSecret(secret: Uint8Array): string {
  if (secret.length === 0) throw new OptionError('the secret for the root key is empty')
  return hexOf(scrypt(secret, sha256(encoder.encode('agent-play:merkle-root:v3:scrypt-file')), cost))
}

/** Returns the credentials of a phrase at hosts with a root key. */
export function nodeCredentialFromHumanPhrase(input: { readonly phrase: string; readonly rootKey: string }): NodeCredentialMaterial {
  const passwHash = nodeCredentialsMaterialFromHumanPassphrase(input.phrase)
  return { phrase: normalizeSpaces(input.phrase), passwHash, nodeId: deriveNodeIdFromMaterial({ material: passwHash, rootKey: input.rootKey }) }
}

/**
 * Generates a phrase of ten words from the platform's random source and returns its
 * credentials. Show the phrase to its owner once; it cannot be recovered.
 */
export function createNodeCredentialMaterial(input: { readonly rootKey: string }): NodeCredentialMaterial {
  return nodeCredentialFromHumanPhrase({ phrase: generateNodePassphrase(), rootKey: input.rootKey })
}

/** Generates a phrase of ten words, 110 bits, from the platform's random source. */
export function generateNodePassphrase(): string {
  // 2,048 divides 65,536, so the remainder is not biased.
  const draws = crypto.getRandomValues(new Uint16Array(phraseWords))
  return Array.from(draws, (draw) => words[draw % words.length]).join(' ')
}
