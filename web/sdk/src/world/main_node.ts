import type { NodeCredentials } from '../credentials/resolve.js'
import { resolveNode } from '../credentials/resolve.js'
import { createClient } from '../http/client.js'
import type { CallOptions, ClientOptions } from '../http/options.js'
import type { CreateNodeReply } from '../protocol/contract.js'

/** What makes a main node, which is an account at a host. */
export interface MainNodeOptions extends Pick<ClientOptions, 'baseUrl' | 'service' | 'timeoutMs' | 'retry' | 'fetch' | 'registrationToken'>, CallOptions {
  /** The node that is made. */
  readonly mainNodeCredentials: NodeCredentials
}

/** Makes a main node at a host. The reply holds its first API key, once; a node that exists is a `PlayError` with the code `node_exists`. */
export async function createMainNode(options: MainNodeOptions): Promise<CreateNodeReply> {
  const { mainNodeCredentials, signal, ...rest } = options
  const node = await resolveNode(mainNodeCredentials)
  return createClient(rest).createMainNode(node, signal === undefined ? {} : { signal })
}
