import type { NodeCredentials } from '../credentials/resolve.js'
import { resolveNode } from '../credentials/resolve.js'
import { createClient } from '../http/client.js'
import type { CallOptions, ClientOptions } from '../http/options.js'
import { defined } from '../json/read.js'
import type { CreateNodeReply } from '../protocol/contract.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'

/** The options of `createMainNode`. A main node is an account at a host. */
export interface MainNodeOptions extends Pick<ClientOptions, 'baseUrl' | 'service' | 'timeoutMs' | 'retry' | 'fetch' | 'registrationToken'>, CallOptions {
  /** The credentials of the new node. */
  readonly mainNodeCredentials: NodeCredentials
}

const optionNames: OptionNames<MainNodeOptions> = {
  baseUrl: true, service: true, timeoutMs: true, retry: true, fetch: true, registrationToken: true, signal: true, mainNodeCredentials: true,
}

/** Creates a main node at a host. The reply contains its first API key, once; an existing node is a `PlayError` with the code `node_exists`. */
export async function createMainNode(options: MainNodeOptions): Promise<CreateNodeReply> {
  checkOptions('createMainNode', options, optionNames)
  const { baseUrl, service, timeoutMs, retry, fetch, registrationToken, mainNodeCredentials, signal } = options
  const node = await resolveNode(mainNodeCredentials)
  return createClient(defined({ baseUrl, service, timeoutMs, retry, fetch, registrationToken })).createMainNode(node, defined({ signal }))
}
