import { sha256 } from '@noble/hashes/sha2.js'

// WebCrypto is asynchronous and missing on pages served over plain http, so SHA-256
// comes from a library. The domain prefixes end with the NUL that separates them from
// the payload (protocol reference, "The player chain").
const encoder = new TextEncoder()
const leafPrefix = encoder.encode('wilforlan:player-chain:leaf\0')
const nodePrefix = encoder.encode('wilforlan:player-chain:node\0')

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const digitCodes = encoder.encode('0123456789abcdef')

/** Returns bytes as lower-case hex text. */
export function hexOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hexOfByte[byte] ?? ''
  return text
}

/** Returns the SHA-256 of a text's UTF-8 bytes, as lower-case hex text. */
export function sha256Hex(text: string): string {
  return hexOf(sha256(encoder.encode(text)))
}

/** A digest as its 64 hex digits in ASCII, which is the form in which parents hash it. */
export type HexDigest = Uint8Array

function asHexDigest(digest: Uint8Array): HexDigest {
  const text = new Uint8Array(64)
  let at = 0
  for (const byte of digest) {
    text[at++] = digitCodes[byte >> 4] ?? 0
    text[at++] = digitCodes[byte & 15] ?? 0
  }
  return text
}

// Hashing is synchronous and nothing here calls back, so one buffer serves all.
const pair = new Uint8Array(nodePrefix.length + 128)
pair.set(nodePrefix)

/** Returns the digest of a leaf with the given payload; the digest of "" is the root of a tree without leaves. */
export function leafDigest(payload: string): HexDigest {
  const bytes = encoder.encode(payload)
  const whole = new Uint8Array(leafPrefix.length + bytes.length)
  whole.set(leafPrefix)
  whole.set(bytes, leafPrefix.length)
  return asHexDigest(sha256(whole))
}

/** Returns the digest of two siblings, which are hashed as hex text. */
export function parentDigest(left: HexDigest, right: HexDigest): HexDigest {
  pair.set(left, nodePrefix.length)
  pair.set(right, nodePrefix.length + 64)
  return asHexDigest(sha256(pair))
}

/** Returns a digest as text: 64 lower-case hex digits. */
export function digestText(digest: HexDigest): string {
  return String.fromCharCode(...digest)
}
