import { mustAnswerFor } from '../chain/node.js'
import { resolveNode } from '../credentials/resolve.js'
import type { NodeCredentials } from '../credentials/resolve.js'
import type { WorldClient } from '../http/client.js'
import type { CallOptions } from '../http/options.js'
import { randomText, reasonOf } from '../http/wait.js'
import { defined } from '../json/read.js'
import { type ChainNodeReply, type EventKind, type IntercomEventData, type Journey, type Space, type WorldSnapshot, limits } from '../protocol/contract.js'
import { ClosedError, hasCode } from '../protocol/errors.js'
import type * as wire from '../protocol/contract.js'
import { callBack } from '../protocol/callback.js'
import { checkOptions } from '../protocol/options.js'
import { normalizeAgentId } from '../protocol/text.js'
import { withGenesis } from '../subscription/genesis.js'
import { subscribeWorld } from '../subscription/subscribe.js'
import type { SubscribeOptions, WorldSubscription } from '../subscription/types.js'
import { type AgentProgram, programNames, registrationOf } from '../tools/program.js'
import { type AddAgentOptions, Agent, leaving } from './agent.js'
import { type IntercomQuestion, ask } from './ask.js'
import { Account } from './account.js'
import { type EventOptions, type EventSubscription, subscribeEvents } from './events.js'
import { within } from './framework.js'
import { Hold } from './hold.js'
import { type EventOf, type EventsOptions, eventLoop } from './event_loop.js'
import { IntercomListener } from './intercom.js'
import { Programs } from './programs.js'
import { type IntercomOptions, type IntercomSubscription, intercomOptions } from './intercom_types.js'
import type { RemotePlayWorldOptions } from './options.js'
import type { Mcp } from './placements.js'

/**
 * A world at a host, as one account uses it. It tracks the session: when the host
 * begins another one, its agents and MCP placements register again
 * automatically. It renews the agents' leases until it is closed.
 */
export class RemotePlayWorld {
  readonly #account: Account
  readonly #agents = new Map<string, Agent>()
  readonly #ending = new AbortController()
  readonly #programs = new Programs((listener) => this.#keep(listener), () => this.#account.answersFor)
  /** The listeners for commands to agents without a program. */
  readonly #executors = new Set<IntercomListener>()
  /** The registrations in progress. */
  readonly #registering = new Set<Promise<unknown>>()
  readonly #subscriptions = new Set<{ close(): Promise<void> }>()
  readonly #onClose = new Set<{ readonly callback: () => void | Promise<void> }>()
  #closing: Promise<void> | undefined
  /** The number of session changes. */
  #sessions = 0

  /** Creates a world. It throws an `OptionError` for invalid options, and does not connect. */
  constructor(options: RemotePlayWorldOptions) {
    this.#account = new Account(options, this.#life, () => {
      this.#sessionChanged()
    })
  }

  /** Checks that the host replies and accepts the credentials, and returns the session. Other methods connect automatically. */
  async connect(call?: CallOptions): Promise<wire.SessionReply> {
    const client = await this.#client()
    return client.session(call)
  }

  /**
   * Reads the whole world. If the host states a root, the snapshot is
   * verified; one that differs is read once more, and is a `MismatchError` if it
   * still differs.
   */
  async getWorldSnapshot(call?: CallOptions): Promise<WorldSnapshot> {
    const client = await this.#client()
    let mismatch
    for (let i = 0; i < 2; i++) {
      const { copy: read, stated } = await client.worldCopy(call)
      if (stated.merkleRootHex === undefined) return read.snapshot
      const copy = await withGenesis(client, read, call)
      mismatch = copy.compare(stated.merkleRootHex, stated.merkleLeafCount)
      if (mismatch === undefined) return copy.snapshot
    }
    throw mismatch ?? new Error('the snapshot was not read')
  }

  /** Reads one node of the player chain, and rejects a node with another key. */
  async getPlayerChainNode(stableKey: string, options: CallOptions & { readonly atRev?: number } = {}): Promise<ChainNodeReply> {
    const client = await this.#client()
    const reply = await client.playerChainNode(stableKey, options)
    mustAnswerFor(reply.node, stableKey)
    return reply
  }

  /**
   * Puts an agent on the map and keeps it there until it is disconnected or the
   * world is closed. An agent that is added twice is one agent; the newer
   * registration holds it.
   */
  async addAgent(options: AddAgentOptions, call: CallOptions = {}): Promise<Agent> {
    const client = await this.#client()
    const sessions = this.#sessions
    const registered = this.#register(client, options, call)
    this.#registering.add(registered)
    let agent, before
    try {
      [agent, before] = await registered
    } finally {
      this.#registering.delete(registered)
      for (const listener of this.#executors) listener.arrived()
    }
    agent.keep()
    // If the session changed meanwhile, the agent must register again.
    if (this.#sessions !== sessions) agent.renew()
    await before?.stop()
    return agent
  }

  /** Registers an agent, and returns it with the agent that it replaces. */
  async #register(client: WorldClient, options: AddAgentOptions, call: CallOptions): Promise<[agent: Agent, before: Agent | undefined]> {
    const agent = await Agent.register(this.#account.agentWorld(client, {
      leave: (left) => this.#leave(left),
      find: (agentId) => this.#agents.get(agentId),
    }), options, call)
    if (this.#closing !== undefined) {
      await agent.disconnectNow(leaving())
      throw new ClosedError()
    }
    const before = this.#agents.get(agent.playerId)
    this.#agents.set(agent.playerId, agent)
    return [agent, before]
  }

  /**
   * The older name of `addAgent`.
   *
   * @deprecated Use `addAgent`.
   */
  async addPlayer(options: AddAgentOptions, call?: CallOptions): Promise<Agent> {
    return this.addAgent(options, call)
  }

  /**
   * Puts an agent on the map with its program: `chat` answers texts, and people may call its `tools`. Its agent node is
   * created if there is none; by default the same name is the same agent of the account in every run.
   */
  async agent(name: string, program: AgentProgram = {}, call?: CallOptions): Promise<Agent> {
    within("the agent's name", name, limits.maxNameChars)
    const client = await this.#client()
    checkOptions('agent', program, programNames)
    const { credentials: own, enableP2a, realtimeInstructions, parentId, group, leaseTtlSeconds, permanent, onLost } = program
    const row = defined({ enableP2a, realtimeInstructions, parentId, group, leaseTtlSeconds, permanent, onLost })
    const registration = registrationOf(program)
    const credentials = own ?? await this.#account.agentNode(name)
    const node = credentials === undefined ? undefined : await resolveNode(credentials)
    if (node !== undefined && this.#account.hasMain) await this.#makeNode(node, call)
    // Questions may arrive as soon as the agent is on the map.
    if (this.#account.hasMain) await this.#programs.listen(client, call?.signal)
    const who = node === undefined ? { nodeId: randomText() } : { nodeId: node.nodeId, credentials: node }
    const agent = await this.#programs.add(who.nodeId, program, async () => this.addAgent({ ...row, name, agent: registration, ...who }, call))
    try {
      if (!this.#account.hasMain) await this.#programs.listen(agent.client, call?.signal)
    } catch (error) {
      // What ended the wait is the error, not what follows from it.
      await agent.disconnect(leaving()).catch(() => undefined)
      throw error
    }
    return agent
  }

  async #makeNode(node: NodeCredentials, call: CallOptions | undefined): Promise<void> {
    try {
      await this.createAgentNode(node, call)
    } catch (error) {
      if (!hasCode(error, 'node_exists')) throw error
    }
  }

  /** Puts an MCP placement of the main node on the map and returns its id. A second call with the same name changes the row. */
  async registerMcp(mcp: Mcp, call?: CallOptions): Promise<string> {
    checkOptions('registerMcp', mcp, { name: true, url: true })
    const client = await this.#client()
    const { id } = await client.registerMcp(defined({ name: mcp.name, url: mcp.url }), call)
    this.#account.placements.keep(mcp, id)
    return id
  }

  /** Removes an MCP placement from the map; false if there was none with that id. */
  async unregisterMcp(id: string, call?: CallOptions): Promise<boolean> {
    const client = await this.#client()
    const { ok } = await client.unregisterMcp(this.#account.placements.present(id), call)
    this.#account.placements.drop(id)
    return ok
  }

  /** Records a player's chat line, once, even if the host's reply is lost and the call is retried. */
  async recordInteraction(interaction: wire.RecordInteractionRequest, call?: CallOptions): Promise<wire.RecordInteractionReply> {
    return (await this.#callerFor(interaction.playerId)).recordInteraction(interaction, call)
  }

  /** Replaces what a player's row says it does now, once and immediately. Agents send theirs with `working` and the like, which combine calls. */
  async recordActivity(activity: wire.RecordActivityRequest, call?: CallOptions): Promise<wire.RecordActivityReply> {
    return (await this.#callerFor(activity.playerId)).recordActivity(activity, call)
  }

  /** Records a player's journey, once. */
  async recordJourney(playerId: string, journey: Journey, call?: CallOptions): Promise<wire.RecordJourneyReply> {
    return (await this.#callerFor(playerId)).recordJourney({ playerId, journey }, call)
  }

  /** Creates a space that the main node owns. */
  async registerSpaceNode(space: wire.RegisterSpaceRequest, call?: CallOptions): Promise<Space> {
    return (await (await this.#client()).registerSpaceNode(space, call)).space
  }

  /** Creates an agent node of the main node. An agent needs one before it can be added. */
  async createAgentNode(credentials: NodeCredentials, call?: CallOptions): Promise<string> {
    const node = await resolveNode(credentials)
    return (await (await this.#client()).createAgentNode(node, call)).agentId
  }

  /** Deletes an agent node of the main node with its record, and removes it from the map; false if there was none with that id. */
  async deleteAgentNode(agentId: string, call?: CallOptions): Promise<boolean> {
    const client = await this.#client()
    const id = normalizeAgentId(agentId)
    const { ok } = await client.deleteAgent(id, call)
    const agent = this.#agents.get(id)
    if (agent !== undefined) {
      this.#leave(agent)
      await agent.stop()
    }
    return ok
  }

  /** Returns a client for the world's routes, as the main node, for calls that have no method here. Its calls end with the world. */
  async client(): Promise<WorldClient> {
    return this.#client()
  }

  /** Follows the world with a verified copy; see `subscribeWorld`. The subscription ends when the world is closed. */
  async subscribeWorldState(options: SubscribeOptions = {}): Promise<WorldSubscription> {
    return this.#keep(subscribeWorld(await this.#client(), options))
  }

  /**
   * Yields the events, for `for await`: a comparison of `event.kind` narrows the type of `event.data`. It reconnects, and
   * ends with the loop, with its signal or when the world is closed.
   */
  async *events<K extends EventKind = EventKind>(options: EventsOptions<K> = {}): AsyncGenerator<EventOf<K>, void, undefined> {
    yield* eventLoop(await this.#client(), options, this.#life)
  }

  /** Reports events, without a copy of the world. The subscription ends when the world is closed. */
  async subscribeEvents(options: EventOptions): Promise<EventSubscription> {
    return this.#keep(subscribeEvents(await this.#client(), options))
  }

  /**
   * Carries out the commands to the world's agents, each at most once. One stream of the main node
   * serves them all. Agents that `agent` added answer for themselves unless `agents` names them. The subscription
   * and its commands in progress end when the world is closed.
   */
  async subscribeIntercomCommands(options: IntercomOptions): Promise<IntercomSubscription> {
    checkOptions('subscribeIntercomCommands', options, intercomOptions)
    const client = await this.#client()
    const named = options.agents
    const sources = this.#account.hasMain ? [client] : [...new Set((named ?? [...this.#agents.values()]).map((agent) => agent.client))]
    const answersFor = named?.map((agent) => agent.playerId) ?? [this.#account.answersFor]
    const listener = new IntercomListener(sources.length > 0 ? sources : [client], options, answersFor, (id) => {
      if (named === undefined && this.#programs.has(normalizeAgentId(id))) return undefined
      return named === undefined ? this.#agents.get(normalizeAgentId(id)) : named.find((agent) => agent.playerId === id)
    }, () => named === undefined && this.#registering.size > 0)
    this.#executors.add(listener)
    void listener.done.then(() => this.#executors.delete(listener))
    return this.#keep(listener)
  }

  /**
   * Asks an agent, and waits for its answer; the host gives up after
   * `limits.maxIntercomSilenceSeconds` without a part of the answer. If the agent answers `failed`, it rejects with
   * an `AgentFailedError`, which contains the answer. If the host knows that no program
   * answers for the agent, it rejects immediately with the code `agent_not_answering`.
   */
  async ask(question: IntercomQuestion): Promise<IntercomEventData> {
    const caller = await (question.from === undefined ? this.#client() : this.#callerFor(question.from))
    return ask(caller, question, this.#life)
  }

  /** Returns a `Hold`, which keeps the program running. */
  hold(): Hold {
    return new Hold(this.#life)
  }

  /**
   * Adds a callback that `close` calls once. If the world is already closed, the callback is
   * called immediately, and its errors are dropped; otherwise the error of `close` includes
   * them. A promise that it returns is not awaited. The returned function removes the callback.
   */
  onClose(callback: () => void | Promise<void>): () => void {
    if (this.#closing !== undefined) {
      callBack(callback, () => undefined)
      return () => undefined
    }
    const entry = { callback }
    this.#onClose.add(entry)
    return () => { this.#onClose.delete(entry) }
  }

  /** Closes the world, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /**
   * Removes the world's agents from the map and ends its heartbeats and
   * subscriptions. Calls in progress end with a `ClosedError`. It rejects with an
   * `AggregateError` for agents that could not be disconnected, which their leases
   * remove, and for errors that callbacks of `onClose` threw. May be called again.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#shutdown()
    return this.#closing
  }

  async #shutdown(): Promise<void> {
    // Nothing is awaited before the state shows that the world is closed.
    await Promise.resolve()
    const agents = [...this.#agents.values()]
    this.#agents.clear()
    await Promise.all([...this.#subscriptions].map(async (subscription) => subscription.close()))
    for (const agent of agents) this.#programs.remove(agent)
    this.#ending.abort(new ClosedError())
    await Promise.all(agents.map(async (agent) => agent.stop()))
    const [left] = await Promise.all([
      Promise.allSettled(agents.map(async (agent) => agent.disconnectNow(leaving()))), Promise.allSettled(this.#registering),
    ])
    const failed = left.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    const why = failed.length > 0 ? 'some agents could not be disconnected; their leases end them' : 'a function that was to be called at the end failed'
    for (const { callback } of this.#onClose) callBack(callback, (error) => { failed.push(error) })
    if (failed.length > 0) throw new AggregateError(failed, why)
  }

  get #life(): AbortSignal {
    return this.#ending.signal
  }

  async #client(): Promise<WorldClient> {
    this.#mustBeOpen()
    const client = await this.#account.client()
    // The world may have been closed while the id of the main node was derived.
    this.#mustBeOpen()
    return client
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) throw this.#life.aborted ? reasonOf(this.#life) : new ClosedError()
  }

  /** Returns the client that writes for a player: the agent's own if this world added it, otherwise the main node's. */
  async #callerFor(playerId: string): Promise<WorldClient> {
    const client = await this.#client()
    return this.#agents.get(normalizeAgentId(playerId))?.client ?? client
  }

  #keep<T extends { readonly done: Promise<void>; close(): Promise<void> }>(subscription: T): T {
    this.#subscriptions.add(subscription)
    void subscription.done.then(() => this.#subscriptions.delete(subscription))
    // A subscription that began while the world was being closed is not ended by `close`.
    if (this.#closing !== undefined) void subscription.close()
    return subscription
  }

  /** Removes an agent; false if a newer registration holds it. */
  #leave(agent: Agent): boolean {
    this.#programs.remove(agent)
    const holder = this.#agents.get(agent.playerId)
    if (holder === agent) this.#agents.delete(agent.playerId)
    return holder === agent || holder === undefined
  }

  /** Registers a placement again, and removes it if it was removed meanwhile: its id of the earlier session did not name it. */
  async #renewMcp(mcp: Mcp): Promise<void> {
    const client = await this.#client()
    const { id } = await client.registerMcp(defined({ name: mcp.name, url: mcp.url }))
    if (!this.#account.placements.renewed(mcp, id)) await client.unregisterMcp(id)
  }

  #sessionChanged(): void {
    this.#sessions++
    for (const agent of this.#agents.values()) agent.renew()
    for (const mcp of this.#account.placements.all()) {
      this.#renewMcp(mcp).catch(() => {
        if (!this.#life.aborted) this.#account.warn(`the MCP placement ${mcp.name} could not be registered again`)
      })
    }
  }
}
