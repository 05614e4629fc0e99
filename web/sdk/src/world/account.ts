import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexOf } from '../chain/digest.js'
import { checkNode, resolveNode } from '../credentials/resolve.js'
import type { NodeCredentials } from '../credentials/resolve.js'
import { isExposed } from '../http/address.js'
import { WorldClient } from '../http/client.js'
import type { NodeIdentity } from '../http/options.js'
import { unconfirmedText } from '../http/transport.js'
import { randomText } from '../http/wait.js'
import { asObject, defined } from '../json/read.js'
import { OptionError } from '../protocol/errors.js'
import { warnTo } from '../protocol/callback.js'
import type { AgentWorld } from './agent.js'
import { checkOptions } from '../protocol/options.js'
import { type RemotePlayWorldOptions, worldOptions } from './options.js'
import { Placements } from './placements.js'

/** The value of the option `apiKey` for an account without an API key. */
const noKey = 'none'

const encoder = new TextEncoder()

/** The account of a world's program at its host: the main node, the API key, and the state that all calls share. */
export class Account {
  readonly placements = new Placements()
  readonly warn: (text: string) => void
  /** The prefix of the connection ids of this program's agents. */
  readonly program = randomText()
  /** The API key; undefined if the account has none. */
  readonly #apiKey: string | undefined
  readonly #options: RemotePlayWorldOptions
  readonly #node: NodeCredentials | undefined
  readonly #nobody: WorldClient
  #client: Promise<WorldClient> | undefined
  #main: NodeIdentity | undefined

  /** Checks the options; an invalid one is an `OptionError`. All calls end with `life`. */
  constructor(options: RemotePlayWorldOptions, life: AbortSignal, onSession: (sid: string) => void) {
    // Programs without types may pass any value.
    const given = (asObject(options) ?? {}) as Partial<RemotePlayWorldOptions>
    if (!given.baseUrl?.trim()) throw new OptionError("baseUrl is empty: set the host's address, such as http://127.0.0.1:7420")
    checkOptions('RemotePlayWorld', options, worldOptions)
    this.#options = options
    const apiKey = given.apiKey?.trim() ?? ''
    this.#apiKey = apiKey === noKey ? undefined : apiKey
    if (apiKey === '') {
      throw new OptionError("apiKey is empty: use the key that was printed when the main node was created, or create one with 'playctl key create NAME --api-key-file FILE'")
    }
    if (options.mainNodeCredentials !== undefined && options.nodeCredentials !== undefined) {
      throw new OptionError('set mainNodeCredentials or nodeCredentials, which is its older name, not both')
    }
    this.#node = options.mainNodeCredentials ?? options.nodeCredentials
    if (this.#node !== undefined) checkNode(this.#node)
    this.warn = (text) => { warnTo(options.onWarning, text) }
    const onUnconfirmed = (hosts: number): void => { this.warn(unconfirmedText(hosts)) }
    const { baseUrl, service, timeoutMs, retry, fetch } = options
    this.#nobody = new WorldClient(defined({ baseUrl, service, timeoutMs, retry, fetch, apiKey: this.#apiKey, onSession, onUnconfirmed })).withLife(life)
    if (isExposed(this.#nobody.transport.baseUrl)) this.warn('credentials will cross the network in clear text: use an https:// address')
  }

  /**
   * Returns the credentials of an agent by its name: the given ones, otherwise ones derived from the main node's
   * secret, so that the same name is the same agent in every run. They do not reveal the main node's secret.
   */
  async agentNode(name: string): Promise<NodeCredentials | undefined> {
    const given = this.#options.agentCredentials?.[name]
    if (given !== undefined) return given
    const client = await this.client()
    if (this.#main === undefined) return undefined
    const passwHash = hexOf(hmac(sha256, encoder.encode(this.#main.passwHash), encoder.encode(`playctl agent ${name}`)))
    return { passwHash, rootKey: (await client.bootstrap()).rootKey }
  }

  /** The value that tells a host for which agents this program answers. */
  get answersFor(): string {
    return `connection:${this.program}`
  }

  /** Whether there is a main node. */
  get hasMain(): boolean {
    return this.#node !== undefined
  }

  /** Returns the client of the main node, otherwise of the first agent, otherwise one without credentials. The node's id is derived once if necessary. */
  async client(): Promise<WorldClient> {
    this.#client ??= this.#resolve()
    return this.#client
  }

  async #resolve(): Promise<WorldClient> {
    if (this.#node === undefined) {
      const [agent] = Object.values(this.#options.agentCredentials ?? {})
      return agent === undefined ? this.#nobody : this.#nobody.as(await resolveNode(agent), this.#apiKey)
    }
    this.#main = await resolveNode(this.#node)
    return this.#nobody.as(this.#main, this.#apiKey)
  }

  /** Returns the parts of the world that agents need. */
  agentWorld(client: WorldClient, agents: Pick<AgentWorld, 'leave' | 'find'>): AgentWorld {
    return {
      client,
      program: this.program,
      main: this.#main,
      bodyKey: this.#apiKey,
      clientAs: (node) => client.as(node, this.#apiKey),
      warn: this.warn,
      ...agents,
    }
  }
}
