import { sha256 } from '@noble/hashes/sha2.js'

/** Returns a digest of a secret, by which pages recognize it without a word of it. The browser's own digests are missing over plain HTTP. */
export function digestOf(secret: string): string {
  return Array.from(sha256(new TextEncoder().encode(secret)).subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns who reads with a pass from this source, a link or the pass itself. All passes that a host gives freely show the same. */
export const passReader = (source: string): string => `pass ${source === '' ? 'free' : digestOf(source)}`
