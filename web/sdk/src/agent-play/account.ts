import { isPasswHash } from '../credentials/derive.js'
import { type NodeCredentials, checkNode } from '../credentials/resolve.js'
import { checkBaseUrl } from '../http/address.js'
import { createClient } from '../http/client.js'
import { noRetry } from '../http/options.js'
import { OptionError, PlayError } from '../protocol/errors.js'
import { normalizeNodeId } from '../protocol/text.js'
import { ownFile } from './credentials.js'
import type { RemotePlayWorldOptions } from './options.js'

/** The host and the main node that a program names, itself or by its credentials file. */
export interface OwnAccount {
  readonly baseUrl?: string
  readonly main?: NodeCredentials
}

/** Returns the account of some options; incomplete credentials, or credentials without a host, are an `OptionError`. */
export function accountOf({ baseUrl, apiKey, agentCredentials, mainNodeCredentials, nodeCredentials }: RemotePlayWorldOptions): OwnAccount {
  if (apiKey?.trim() === '') throw new OptionError('apiKey is empty: give the account\'s key, or any text if the host checks none')
  if (baseUrl !== undefined) checkBaseUrl(baseUrl)
  const given = mainNodeCredentials ?? nodeCredentials
  const file = given === undefined || baseUrl === undefined ? ownFile() : undefined
  const server = baseUrl ?? file?.serverUrl
  if (server === undefined && (given ?? apiKey ?? agentCredentials) !== undefined) {
    throw new OptionError('baseUrl is missing: set the address of the host that the credentials are for, such as http://127.0.0.1:7420')
  }
  const main = given !== undefined ? withHash(given) : file === undefined ? undefined : { nodeId: file.nodeId, phrase: file.passw }
  if (main !== undefined) checkNode(main)
  return { ...(server === undefined ? {} : { baseUrl: checkBaseUrl(server) }), ...(main === undefined ? {} : { main }) }
}

/** Requires that a main node has an id; another id is an `OptionError`. */
export function mustBe(mainNodeId: string, nodeId: string): void {
  if (normalizeNodeId(mainNodeId) === nodeId) return
  throw new OptionError(`mainNodeId is ${mainNodeId}, but the main node of the credentials is ${nodeId}: give the id and the phrase of the same node`)
}

/** Returns the name of the service whose routes a host has: agent-play if the host serves its routes. */
export async function serviceAt(baseUrl: string | undefined): Promise<string | undefined> {
  if (baseUrl === undefined) return undefined
  try {
    await createClient({ baseUrl, service: 'agent-play', retry: noRetry }).session()
  } catch (error) {
    if (error instanceof PlayError && error.status === 404) return 'play'
    if (!(error instanceof PlayError)) throw error
  }
  return 'agent-play'
}

/** Returns credentials whose `passw` may be a phrase. */
export function withHash({ passw, ...rest }: NodeCredentials): NodeCredentials {
  if (passw === undefined) return rest
  return isPasswHash(passw) ? { ...rest, passw } : { ...rest, phrase: passw }
}
