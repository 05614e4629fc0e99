import type { NodeCredentials } from '../credentials/resolve.js'
import { resolveNode } from '../credentials/resolve.js'
import { deriveNodeIdFromMaterialAsync, generateNodePassphrase, nodeCredentialsMaterialFromHumanPassphrase } from '../credentials/derive.js'
import { createClient } from '../http/client.js'
import type { CallOptions, NodeIdentity } from '../http/options.js'
import { randomText } from '../http/wait.js'
import { defined } from '../json/read.js'
import { hasCode } from '../protocol/errors.js'
import type { EventKind, IntercomEventData, Journey, Space, WorldSnapshot } from '../protocol/contract.js'
import type * as wire from '../protocol/contract.js'
import type { SubscribeOptions, WorldSubscription } from '../subscription/types.js'
import { type AddAgentOptions, type Agent, nodeOf } from '../world/agent.js'
import type { IntercomQuestion } from '../world/ask.js'
import type { AgentProgram } from '../tools/program.js'
import type { EventOf, EventsOptions } from '../world/event_loop.js'
import type { EventOptions, EventSubscription } from '../world/events.js'
import type { Hold } from '../world/hold.js'
import type { IntercomOptions, IntercomSubscription } from '../world/intercom_types.js'
import type { Mcp } from '../world/placements.js'
import { RemotePlayWorld } from '../world/remote.js'
import { checkOptions } from '../protocol/options.js'
import { type PlayWorldOptions, playWorldOptions } from './options.js'
import { HostProcess } from './process.js'

/**
 * A world of this program's own: it starts `playctl serve` as a child process,
 * which ends with the program, even if the program is killed. Others reach the
 * world at `url`; the methods here call it as one of its accounts.
 */
export class PlayWorld {
  readonly #host: HostProcess
  readonly #remote: RemotePlayWorld
  readonly #noRepository: boolean
  #closing: Promise<void> | undefined

  private constructor(host: HostProcess, remote: RemotePlayWorld, noRepository: boolean) {
    this.#host = host
    this.#remote = remote
    this.#noRepository = noRepository
    // If the host ends by itself, the world is closed. Agents that can no
    // longer be disconnected are not an error of the program.
    void host.ended.then(() => this.close()).catch(() => undefined)
  }

  /** Starts a world, and waits until it serves. */
  static async start(options: PlayWorldOptions = {}): Promise<PlayWorld> {
    checkOptions('PlayWorld.start', options, playWorldOptions)
    const host = await HostProcess.start(options)
    try {
      const account = options.noRepository === true ? undefined : await join(host, options)
      const remote = new RemotePlayWorld({
        baseUrl: host.url, apiKey: account?.apiKey ?? 'none',
        ...(account === undefined ? {} : { mainNodeCredentials: account.node }),
      })
      return new PlayWorld(host, remote, options.noRepository === true)
    } catch (error) {
      await host.stop()
      throw error
    }
  }

  /** The address at which others reach the world. */
  get url(): string {
    return this.#host.url
  }

  /** The world's root key, from which node ids are derived. */
  get rootKey(): string {
    return this.#host.rootKey
  }

  /** The world as its account uses it, for calls that have no method here. */
  get remote(): RemotePlayWorld {
    return this.#remote
  }

  /** Puts an agent on the map and keeps it there. Its agent node is created if there is none; without credentials it gets its own. */
  async addAgent(options: AddAgentOptions, call?: CallOptions): Promise<Agent> {
    const { agentId: _id, agentPassphrase: _phrase, credentials: _own, ...rest } = options
    const { nodeId, credentials } = nodeOf(options)
    if (this.#noRepository) return this.#remote.addAgent({ ...rest, ...defined({ credentials }), nodeId: nodeId ?? randomText() }, call)
    const node = await this.#agentNode(nodeId, credentials, call)
    return this.#remote.addAgent({ ...rest, nodeId: node.nodeId, credentials: node }, call)
  }

  /** Puts an agent on the map with its program; see `RemotePlayWorld.agent`. */
  async agent(name: string, program?: AgentProgram, call?: CallOptions): Promise<Agent> {
    return this.#remote.agent(name, program, call)
  }

  async #agentNode(nodeId: string | undefined, own: NodeCredentials | undefined, call: CallOptions | undefined): Promise<NodeIdentity> {
    const node = await (own === undefined ? newNode(this.rootKey) : resolveNode({ rootKey: this.rootKey, ...defined({ nodeId }), ...own }))
    try {
      await this.#remote.createAgentNode(node, call)
    } catch (error) {
      if (!hasCode(error, 'node_exists')) throw error
    }
    return node
  }

  /** Puts an MCP placement on the map and returns its id. */
  async registerMCP(mcp: Mcp, call?: CallOptions): Promise<string> {
    return this.#remote.registerMcp(mcp, call)
  }

  /** Removes an MCP placement from the map; false if there was none with that id. */
  async unregisterMCP(id: string, call?: CallOptions): Promise<boolean> {
    return this.#remote.unregisterMcp(id, call)
  }

  /** Creates a space. */
  async registerSpaceNode(space: wire.RegisterSpaceRequest, call?: CallOptions): Promise<Space> {
    return this.#remote.registerSpaceNode(space, call)
  }

  /** Records a player's chat line. */
  async recordInteraction(interaction: wire.RecordInteractionRequest, call?: CallOptions): Promise<wire.RecordInteractionReply> {
    return this.#remote.recordInteraction(interaction, call)
  }

  /** Records a player's journey. */
  async recordJourney(playerId: string, journey: Journey, call?: CallOptions): Promise<wire.RecordJourneyReply> {
    return this.#remote.recordJourney(playerId, journey, call)
  }

  /** Reads the whole world, verified. */
  async getWorldSnapshot(call?: CallOptions): Promise<WorldSnapshot> {
    return this.#remote.getWorldSnapshot(call)
  }

  /** Reports the world's events. */
  async subscribeEvents(options: EventOptions): Promise<EventSubscription> {
    return this.#remote.subscribeEvents(options)
  }

  /** Yields the events, for `for await`; see `RemotePlayWorld.events`. */
  events<K extends EventKind = EventKind>(options?: EventsOptions<K>): AsyncGenerator<EventOf<K>, void, undefined> {
    return this.#remote.events(options)
  }

  /** Follows the world with a verified copy. */
  async subscribeWorldState(options: SubscribeOptions = {}): Promise<WorldSubscription> {
    return this.#remote.subscribeWorldState(options)
  }

  /** Carries out the commands to the world's agents. */
  async subscribeIntercomCommands(options: IntercomOptions): Promise<IntercomSubscription> {
    return this.#remote.subscribeIntercomCommands(options)
  }

  /** Asks an agent, and waits for its answer; see `RemotePlayWorld.ask`. */
  async ask(question: IntercomQuestion): Promise<IntercomEventData> {
    return this.#remote.ask(question)
  }

  /** Returns a `Hold`, which keeps the program running. */
  hold(): Hold {
    return this.#remote.hold()
  }

  /** Adds a callback that is called once when the world is closed, also if its host ended by itself; the returned function removes it. */
  onClose(callback: () => void | Promise<void>): () => void {
    return this.#remote.onClose(callback)
  }

  /** Closes the world, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Removes the agents from the map and ends the host. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#shutdown()
    return this.#closing
  }

  async #shutdown(): Promise<void> {
    try {
      await this.#remote.close()
    } finally {
      await this.#host.stop()
    }
  }
}

/** Creates the credentials of a node with a random phrase, which is not stored. */
async function newNode(rootKey: string): Promise<NodeIdentity> {
  const passwHash = nodeCredentialsMaterialFromHumanPassphrase(generateNodePassphrase())
  return { passwHash, nodeId: await deriveNodeIdFromMaterialAsync({ material: passwHash, rootKey }) }
}

/** Creates the world's account, or uses the existing one. */
async function join(host: HostProcess, options: PlayWorldOptions): Promise<{ node: NodeIdentity; apiKey: string }> {
  const given = options.mainNodeCredentials
  const node = await (given === undefined ? newNode(host.rootKey) : resolveNode({ rootKey: host.rootKey, ...given }))
  try {
    const { apiKey } = await createClient({ baseUrl: host.url }).createMainNode(node)
    return { node, apiKey: apiKey ?? 'none' }
  } catch (error) {
    if (!hasCode(error, 'node_exists')) throw error
  }
  if (options.apiKey !== undefined) return { node, apiKey: options.apiKey }
  const { apiKey } = await createClient({ baseUrl: host.url, credentials: node }).createApiKey()
  return { node, apiKey }
}
