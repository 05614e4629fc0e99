import { checkNode, resolveNode } from '../credentials/resolve.js'
import type { NodeCredentials } from '../credentials/resolve.js'
import { isExposed } from '../http/address.js'
import { WorldClient } from '../http/client.js'
import type { ClientOptions, NodeIdentity } from '../http/options.js'
import { OptionError } from '../protocol/errors.js'
import { callBack } from '../protocol/callback.js'
import type { Agent, AgentWorld } from './agent.js'
import type { RemotePlayWorldOptions } from './options.js'
import { Placements } from './placements.js'

/** Who a world's program is at its host: the main node, the API key, and what is shared by all calls. */
export class Account {
  readonly placements = new Placements()
  readonly warn: (text: string) => void
  readonly #apiKey: string
  readonly #node: NodeCredentials | undefined
  readonly #nobody: WorldClient
  #client: Promise<WorldClient> | undefined
  #main: NodeIdentity | undefined

  /** Checks the options; what is wrong is an `OptionError`. All calls end with `life`. */
  constructor(options: RemotePlayWorldOptions, life: AbortSignal, onSession: (sid: string) => void) {
    // Programs without types call this as well.
    const given = options as Partial<RemotePlayWorldOptions>
    if (!given.baseUrl?.trim()) throw new OptionError("baseUrl is empty: set the host's address, such as http://127.0.0.1:7420")
    this.#apiKey = given.apiKey?.trim() ?? ''
    if (this.#apiKey === '') {
      throw new OptionError("apiKey is empty: use the key that was printed when the main node was created, or make one with 'playctl create-api-key'")
    }
    if (options.mainNodeCredentials !== undefined && options.nodeCredentials !== undefined) {
      throw new OptionError('set mainNodeCredentials or nodeCredentials, which is its older name, not both')
    }
    this.#node = options.mainNodeCredentials ?? options.nodeCredentials
    if (this.#node !== undefined) checkNode(this.#node)
    this.warn = (text) => { callBack(options.onWarning, () => undefined, text) }
    this.#nobody = new WorldClient({ ...clientOptions(options), apiKey: this.#apiKey, onSession }).withLife(life)
    if (isExposed(this.#nobody.transport.baseUrl)) this.warn('credentials will cross the network in clear text: use an https:// address')
  }

  /** Whether there is a main node. */
  get hasMain(): boolean {
    return this.#node !== undefined
  }

  /** The calls of the main node, or of nobody where there is none. Its id is derived once where it has to be. */
  async client(): Promise<WorldClient> {
    this.#client ??= this.#resolve()
    return this.#client
  }

  async #resolve(): Promise<WorldClient> {
    if (this.#node === undefined) return this.#nobody
    this.#main = await resolveNode(this.#node)
    return this.#nobody.as(this.#main, this.#apiKey)
  }

  /** What agents need of the world. */
  agentWorld(client: WorldClient, leave: (agent: Agent) => boolean): AgentWorld {
    return {
      client,
      main: this.#main,
      bodyKey: this.#apiKey,
      clientAs: (node) => client.as(node, this.#apiKey),
      warn: this.warn,
      leave,
    }
  }
}

function clientOptions(options: RemotePlayWorldOptions): ClientOptions {
  const { baseUrl, service, timeoutMs, retry, fetch } = options
  return {
    baseUrl,
    ...(service === undefined ? {} : { service }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retry === undefined ? {} : { retry }),
    ...(fetch === undefined ? {} : { fetch }),
  }
}
