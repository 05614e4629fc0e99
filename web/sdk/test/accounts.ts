import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { NodeCredentialMaterial } from '../src/index.js'
import { vectors } from './repository.js'

const answers = vectors('internal/creds/testdata/credentials.json') as {
  rootKeys: [string]
  phrases: { normalised: string; passwHash: string; nodeIds: [string] }[]
}

/** The root key of the tests' hosts: that of the known answers, so that node ids need not be derived. */
export const [rootKey] = answers.rootKeys

/** Credentials at a host with that root key. */
const known: readonly NodeCredentialMaterial[] = answers.phrases.map(({ normalised, passwHash, nodeIds }) => ({ phrase: normalised, passwHash, nodeId: nodeIds[0] }))

/** An account: a main node and its API key. */
export interface Account {
  readonly node: NodeCredentialMaterial
  readonly apiKey: string
}

/** The main nodes of the prepared world, which is created once, before the tests. */
export const prepared = known.slice(0, 3)

/** Credentials that no host knows. */
export const fresh = known.slice(prepared.length)

/** Returns the folder of the prepared world. */
export function preparedWorld(): string {
  const { PLAYCTL_PREPARED: folder } = process.env
  if (!folder) throw new Error('PLAYCTL_PREPARED names no world: run the tests with "npm test -w sdk"')
  return folder
}

/** Returns the accounts of the prepared world. */
export function preparedAccounts(): Account[] {
  const keys = JSON.parse(readFileSync(path.join(preparedWorld(), 'keys.json'), 'utf8')) as string[]
  return prepared.map((node, i) => ({ node, apiKey: keys[i] ?? '' }))
}
