// Node credentials as the protocol defines them ("Credentials"): a phrase becomes
// a hash on the client, and the hash with the root key becomes the node's id.

import { createHash, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(scrypt)

// The N, r and p of the protocol need 64 MiB, twice what Node allows unasked.
const cost = { N: 65536, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }

const sha256 = (data) => createHash('sha256').update(data).digest()

// The set is spelled out, because \s is that of the running engine.
const space = /[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/g

export function normalize(phrase) {
  return phrase.replace(space, ' ').replace(/^ | $/g, '')
}

export function hashPhrase(phrase) {
  return sha256(Buffer.from(normalize(phrase), 'utf8')).toString('hex')
}

export async function nodeIdOf(passwHash, rootKey) {
  const salt = sha256(`agent-play:node-id:v1:${rootKey.trim().toLowerCase()}`)
  return (await derive(Buffer.from(passwHash, 'utf8'), salt, 32, cost)).toString('hex')
}

export async function rootKeyOf(secret) {
  return (await derive(secret, sha256('agent-play:merkle-root:v3:scrypt-file'), 32, cost)).toString('hex')
}

// identity is what a person with this phrase is under a root key.
export async function identity(phrase, rootKey) {
  const passwHash = hashPhrase(phrase)
  return { nodeId: await nodeIdOf(passwHash, rootKey), passwHash }
}
