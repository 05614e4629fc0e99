import { type NodeCredentials, resolveNode } from '../credentials/resolve.js'
import type { WorldClient } from '../http/client.js'
import { type CallOptions, type NodeIdentity, noRetry } from '../http/options.js'
import { randomText } from '../http/wait.js'
import { asObject, defined } from '../json/read.js'
import { OptionError, PlayError, hasCode } from '../protocol/errors.js'
import { type ActivityState, type AgentSpec, type Journey, type RecordInteractionReply, type RecordJourneyReply, type RegisterReply, type RegisterRequest, type Usage, limits } from '../protocol/contract.js'
import { callBack } from '../protocol/callback.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'
import { isBlank, normalizeAgentId, normalizeNodeId } from '../protocol/text.js'
import { type ActivityOptions, ActivitySender } from './activity.js'
import { type FrameworkRegistration, within } from './framework.js'
import { Lease } from './lease.js'
import { starterOf } from './starter.js'

/** The time limit for agents to leave the map at the end. If their host is unreachable, their leases remove them. */
const leaveTimeoutMs = 3000

/** The time limit for sending what an agent that leaves did last, in milliseconds. */
const lastActivityMs = 1500

/** The fields of a registration that the client sets itself. */
type OwnFields = 'agentId' | 'mainNodeId' | 'passwHash' | 'apiKey' | 'connectionId'

/**
 * The options of `addAgent`: the fields of a registration, and how the agent is kept on the map. People
 * see its `name`; `type` is the framework's name by default, `enableP2a` is `off`.
 */
export interface AddAgentOptions extends Omit<RegisterRequest, OwnFields | 'type'>, Partial<Pick<RegisterRequest, 'type'>> {
  /** The agent's tools, as `frameworkRegistration` returns them. */
  readonly agent: AgentSpec
  /** The agent's node id; may be omitted if `credentials` contain it. */
  readonly nodeId?: string
  /** Another name of `nodeId`. */
  readonly agentId?: string
  /** The agent's own credentials; without them the main node acts for it, as for all its other agents. */
  readonly credentials?: NodeCredentials
  /** The agent's own phrase, instead of `credentials`. It is hashed here and never sent. A secret. */
  readonly agentPassphrase?: string
  /** The agent's owner: an id other than the world's main node is refused. */
  readonly mainNodeId?: string
  /** Accepted for programs of `@agent-play/sdk`, and ignored. */
  readonly version?: string
  /** Accepted for programs of `@agent-play/sdk`, and ignored. */
  readonly createdAt?: Date
  /** Accepted for programs of `@agent-play/sdk`, and ignored. */
  readonly updatedAt?: Date
  /** Registers without a lease: the agent stays on the map even if this program crashes. */
  readonly permanent?: boolean
  /** Called once if the agent cannot be kept on the map: the host refuses to register it again. */
  readonly onLost?: (error: Error) => void | Promise<void>
}

const optionNames: OptionNames<AddAgentOptions> = {
  name: true, type: true, agent: true, enableP2a: true, realtimeInstructions: true, parentId: true, group: true, leaseTtlSeconds: true, nodeId: true, agentId: true, credentials: true,
  agentPassphrase: true, mainNodeId: true, version: true, createdAt: true, updatedAt: true, permanent: true, onLost: true,
}

/** The parts of a world that its agents need. @internal */
export interface AgentWorld {
  readonly client: WorldClient
  readonly main: NodeIdentity | undefined
  /** The prefix of all connection ids of this program. */
  readonly program: string
  /** Returns a client for a node, with the account's API key. */
  clientAs(node: NodeIdentity): WorldClient
  /** The account's API key for hosts of the agent-play service, which read it from the body. */
  readonly bodyKey: string | undefined
  warn(text: string): void
  /** Removes an agent from the world; false if a newer registration holds it. */
  leave(agent: Agent): boolean
  /** Returns the agent with an id; undefined if the world has none. */
  find(agentId: string): Agent | undefined
}

/** An agent that this program keeps on the map. */
export class Agent {
  /** @internal */
  readonly client: WorldClient
  readonly #lease: Lease
  readonly #activity: ActivitySender
  readonly #world: AgentWorld
  #error: Error | undefined
  #saysItself = false

  private constructor(world: AgentWorld, client: WorldClient, lease: (agent: Agent) => Lease) {
    this.#world = world
    this.client = client
    this.#lease = lease(this)
    const once = client.withLife(undefined).withRetry(noRetry)
    this.#activity = new ActivitySender({
      takes: () => client.transport.session.has('activity') === true,
      send: async (report, call) => once.recordActivity(defined({ ...report, playerId: this.playerId, connectionId: this.#lease.request.connectionId }), call),
      warn: (text) => { world.warn(`the agent ${this.playerId}: ${text}`) },
      now: () => performance.now(),
    })
  }

  /** Registers an agent. @internal */
  static async register(world: AgentWorld, options: AddAgentOptions, call: CallOptions): Promise<Agent> {
    checkOptions('addAgent', options, optionNames)
    within("the agent's name", options.name, limits.maxNameChars)
    if (asObject(options.agent) === undefined) throw new OptionError('agent says what the agent can do: make it with frameworkRegistration')
    const { id, caller } = await speakerOf(world, options)
    const client = caller === undefined ? world.client : world.clientAs(caller)
    const request = requestOf(world, options, id, caller)
    const registration = await client.register(request, call).catch(async (error: unknown) => {
      await withdraw(world, client, request, error)
      throw error
    })
    return new Agent(world, client, (agent) => new Lease(client, request, registration, {
      warn: (text) => { world.warn(text) },
      lost: (error) => { agent.#lost(error, options.onLost) },
      registered: () => { agent.#activity.registered() },
    }))
  }

  /** The agent's id on the map, which is its node id. */
  get playerId(): string {
    return this.#lease.request.agentId
  }

  /** The older name of `playerId`. */
  get id(): string {
    return this.playerId
  }

  /** The agent that started this one, as the row shows it. @internal */
  get parentId(): string | undefined {
    return this.#lease.request.parentId
  }

  /** The agent's name, which people see. */
  get name(): string {
    return this.#lease.request.name
  }

  /** The host's reply to the newest registration. */
  get registration(): RegisterReply {
    return this.#lease.registration
  }

  /** Why the agent could not be kept on the map; undefined while it is kept. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Records what the agent said; a blank text is an `OptionError`. */
  async say(text: string, call?: CallOptions): Promise<RecordInteractionReply> {
    if (typeof text !== 'string') throw new OptionError('what the agent says is not a text')
    if (isBlank(text)) throw new OptionError('the text is empty, so nothing was said')
    return this.client.recordInteraction({ playerId: this.playerId, role: 'assistant', text }, call)
  }

  /** Records a journey of the agent. */
  async recordJourney(journey: Journey, call?: CallOptions): Promise<RecordJourneyReply> {
    return this.client.recordJourney({ playerId: this.playerId, journey }, call)
  }

  /**
   * Shows that the agent is at work, and on what: a line for people, as public as the map. This method and the next ones return at
   * once. The newest activity is sent, at most one a second, again after the agent registered again, and by the end at the latest;
   * a host without activities gets nothing. A wrong argument is an `OptionError`, a `ClosedError` means that the agent has left.
   */
  working(text?: string, options?: ActivityOptions): void {
    this.#say('working', text, options)
  }

  /** Shows that the agent waits for a person, as `working`. */
  waiting(text?: string, options?: ActivityOptions): void {
    this.#say('waiting', text, options)
  }

  /** Shows that the agent has nothing to do, as `working`. */
  idle(text?: string, options?: ActivityOptions): void {
    this.#say('idle', text, options)
  }

  /** Shows that the agent has done what it was asked, as `working`. */
  done(text?: string, options?: ActivityOptions): void {
    this.#say('done', text, options)
  }

  /** Shows that the agent could not do what it was asked, as `working`. */
  failed(text?: string, options?: ActivityOptions): void {
    this.#say('failed', text, options)
  }

  /**
   * Replaces what the agent's present run has used so far; an empty object removes it. It is sent with the agent's state, at most every
   * 10 s if nothing else changes.
   */
  usage(usage: Usage): void {
    this.#activity.use(usage)
  }

  /** Shows what the agent does, unless its program says that itself. @internal */
  show(state: ActivityState, text?: string, options?: ActivityOptions): void {
    if (!this.#saysItself) this.#activity.set(state, text, options)
  }

  #say(state: ActivityState, text?: string, options?: ActivityOptions): void {
    this.#saysItself = true
    this.#activity.set(state, text, options)
  }

  /** Removes the agent from the map, as `disconnect`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect()
  }

  /** Removes the agent from the map, unless a newer registration holds it. May be called again. */
  async disconnect(call?: CallOptions): Promise<void> {
    const held = this.#world.leave(this)
    // The heartbeats end first, so that one in progress does not register the agent again.
    await this.stop()
    if (held) await this.disconnectNow(call)
  }

  /** Sends what the agent did last, and reports to the host that it left, also at the end of the world. @internal */
  async disconnectNow(call?: CallOptions): Promise<void> {
    const { agentId: playerId, connectionId } = this.#lease.request
    const limit = AbortSignal.timeout(lastActivityMs)
    await this.#activity.flush(call?.signal === undefined ? limit : AbortSignal.any([limit, call.signal]))
    try {
      await this.client.withLife(undefined).disconnect(defined({ playerId, connectionId }), call)
    } catch (error) {
      if (!hasCode(error, 'player_unknown')) throw error
    }
  }

  /** Starts the agent's heartbeats. @internal */
  keep(): void {
    this.#lease.start()
  }

  /** Ends the heartbeats and the agent's activity. @internal */
  async stop(): Promise<void> {
    this.#activity.leave()
    await this.#lease.stop()
  }

  /** Changes the agent's tools. @internal */
  change(agent: FrameworkRegistration): void {
    this.#lease.change({ ...this.#lease.request, agent })
  }

  /** Shows which agent starts this one here, unless the row has a parent already. @internal */
  showStarter(): void {
    const { request } = this.#lease
    const parentId = parentOf(this.#world, request, this.playerId)
    if (parentId !== request.parentId) this.#lease.change(defined({ ...request, parentId }))
  }

  /** Makes the agent register again. @internal */
  renew(): void {
    this.#lease.renew()
  }

  #lost(error: Error, onLost: AddAgentOptions['onLost']): void {
    this.#error = error
    this.#activity.lose()
    this.#world.warn(`the agent ${this.playerId} cannot be kept: the host refuses it`)
    callBack(onLost, (thrown) => { this.#world.warn(`the function onLost of the agent ${this.playerId} failed: ${thrown.message}`) }, error)
  }
}

/** Returns the options for the calls of leaving agents, with their time limit. @internal */
export function leaving(): CallOptions {
  return { signal: AbortSignal.timeout(leaveTimeoutMs) }
}

/**
 * Reverts a registration that failed: unless the host refused it, the host may have registered the agent, and would keep
 * it until its lease expires. If the world already has the agent, that agent registers again instead.
 */
async function withdraw(world: AgentWorld, client: WorldClient, { agentId: playerId, connectionId }: RegisterRequest, error: unknown): Promise<void> {
  if (connectionId === undefined || (error instanceof PlayError && error.status < 500)) return
  const kept = world.find(playerId)
  if (kept !== undefined) {
    kept.renew()
    return
  }
  // The call fails if the agent was not registered.
  await client.withLife(undefined).withRetry(noRetry).disconnect({ playerId, connectionId }, leaving()).catch(() => undefined)
}

/** Returns the node that acts for an agent: the agent itself if it has credentials, otherwise the main node. */
async function speakerOf(world: AgentWorld, options: AddAgentOptions): Promise<{ id: string; caller: NodeIdentity | undefined }> {
  const { nodeId, credentials: own } = nodeOf(options)
  const id = normalizeAgentId(nodeId ?? '')
  if (own !== undefined) {
    const named = own.nodeId === undefined && id !== '' ? { ...own, nodeId: id } : own
    // A phrase alone is one of a node of this host.
    const derives = named.nodeId === undefined && named.rootKey === undefined
    const caller = await resolveNode(derives ? { ...named, rootKey: (await world.client.bootstrap()).rootKey } : named)
    if (id !== '' && normalizeNodeId(id) !== caller.nodeId) throw new OptionError('nodeId and credentials.nodeId name different nodes')
    return { id: caller.nodeId, caller }
  }
  if (id === '') throw new OptionError('set nodeId, or credentials that have it')
  if (world.main !== undefined) world.warn(`the agent ${id} has no credentials of its own, so the main node's are used`)
  // The agent-play service identifies the owner by its hash, next to the agent's id.
  const older = world.main !== undefined && world.client.transport.service !== 'play'
  return { id, caller: older ? { nodeId: id, passwHash: world.main.passwHash } : world.main }
}

/** Returns the id and the own credentials in the options of an agent, each of which has two names. @internal */
export function nodeOf({ nodeId, agentId, credentials, agentPassphrase: phrase }: AddAgentOptions): Pick<AddAgentOptions, 'nodeId' | 'credentials'> {
  return defined({
    nodeId: oneOf('nodeId', nodeId, 'agentId', agentId),
    credentials: oneOf('credentials', credentials, 'agentPassphrase', phrase === undefined ? undefined : { phrase }),
  })
}

/** Returns the one that is set of two options of which at most one may be. */
function oneOf<T>(name: string, value: T | undefined, other: string, otherwise: T | undefined): T | undefined {
  if (value !== undefined && otherwise !== undefined && value !== otherwise) throw new OptionError(`set ${name} or ${other}, not both`)
  return value ?? otherwise
}

/** Returns the parent in the row of an agent: the one that the program gives, otherwise the agent that starts it here. */
function parentOf(world: AgentWorld, { parentId }: { readonly parentId?: string }, agentId: string): string | undefined {
  if (parentId !== undefined || world.client.transport.session.has('activity') !== true) return parentId
  return starterOf(agentId, (id) => world.find(id))
}

function requestOf(world: AgentWorld, options: AddAgentOptions, agentId: string, caller: NodeIdentity | undefined): RegisterRequest {
  const { name, type = options.agent.type, agent, enableP2a = 'off', realtimeInstructions, permanent = false } = options
  const older = world.client.transport.service !== 'play'
  return defined({
    agentId, name, type, agent, enableP2a, realtimeInstructions, parentId: parentOf(world, options, agentId), group: options.group,
    connectionId: permanent ? undefined : `${world.program}-${randomText()}`,
    leaseTtlSeconds: permanent ? undefined : options.leaseTtlSeconds,
    mainNodeId: options.mainNodeId ?? world.main?.nodeId,
    passwHash: older ? caller?.passwHash : undefined,
    apiKey: older ? world.bodyKey : undefined,
  })
}
