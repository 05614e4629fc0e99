import type { NodeCredentials } from '../credentials/resolve.js'
import { resolveNode } from '../credentials/resolve.js'
import { createClient } from '../http/client.js'
import type { CallOptions, ClientOptions } from '../http/options.js'
import type { CreateNodeReply } from '../protocol/contract.js'

/** The options of `createMainNode`. A main node is an account at a host. */
export interface MainNodeOptions extends Pick<ClientOptions, 'baseUrl' | 'service' | 'timeoutMs' | 'retry' | 'fetch' | 'registrationToken'>, CallOptions {
  /** The credentials of the new node. */
  readonly mainNodeCredentials: NodeCredentials
}

/** Creates a main node at a host. The reply contains its first API key, once; an existing node is a `PlayError` with the code `node_exists`. */
export async function createMainNode(options: MainNodeOptions): Promise<CreateNodeReply> {
  const { mainNodeCredentials, signal, ...rest } = options
  const node = await resolveNode(mainNodeCredentials)
  return createClient(rest).createMainNode(node, signal === undefined ? {} : { signal })
}
