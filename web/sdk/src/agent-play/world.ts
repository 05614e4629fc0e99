import { resolveNode } from '../credentials/resolve.js'
import type { WorldClient } from '../http/client.js'
import type { ChainNode, IntercomEventData, IntercomResponse, Journey as WireJourney, RecordInteractionRequest, WorldSnapshot } from '../protocol/contract.js'
import { ClosedError, OptionError } from '../protocol/errors.js'
import { type WorldEvent, isEvent } from '../protocol/events.js'
import { asError, callBack, reportTo, warnTo } from '../protocol/callback.js'
import { asText, defined } from '../json/read.js'
import { checkOptions } from '../protocol/options.js'
import { normalizeAgentId } from '../protocol/text.js'
import type { IntercomQuestion } from '../world/ask.js'
import type { AddAgentOptions, Agent } from '../world/agent.js'
import { connect } from '../world/connect.js'
import { Hold } from '../world/hold.js'
import { IntercomListener } from '../world/intercom.js'
import type { Receiver } from '../world/intercom_types.js'
import type { Mcp } from '../world/placements.js'
import type { RemotePlayWorld as World } from '../world/remote.js'
import { type OwnAccount, accountOf, mustBe, serviceAt, withHash } from './account.js'
import { type SubscribeIntercomCommandsOptions, carryOut, playerIdsOf } from './commands.js'
import { isAgentPlayDebugEnabled } from './debug.js'
import { type RemotePlayWorldSessionEvent, SESSION_CLOSED_EVENT, SESSION_CONNECTED_EVENT } from './events.js'
import {
  type Journey, type P2aEnableFlag, type RegisteredPlayer, type RemotePlayWorldConnectOptions, type RemotePlayWorldHold, type RemotePlayWorldInitAudioOptions,
  type RemotePlayWorldOptions, type SnapshotCallbacks, playWorldOptions,
} from './options.js'

/** A world at a host, with the methods of `@agent-play/sdk`. */
export class RemotePlayWorld {
  readonly #options: RemotePlayWorldOptions
  readonly #own: OwnAccount
  readonly #onClose: (() => void)[] = []
  readonly #agents = new Map<string, Agent>()
  readonly #listeners = new Set<IntercomListener<Receiver>>()
  readonly #ending = new AbortController()
  #world: Promise<World> | undefined
  #sid = ''
  #address = ''
  #closing: Promise<void> | undefined

  /** Creates a world; it connects with the first call. Invalid options are an `OptionError`. */
  constructor(options: RemotePlayWorldOptions = {}) {
    checkOptions('RemotePlayWorld', options, playWorldOptions)
    this.#options = options
    this.#own = accountOf(options)
  }

  /** Connects and reads the session. A `mainNodeId` other than that of the main node is an `OptionError`. */
  async connect(options: RemotePlayWorldConnectOptions = {}): Promise<void> {
    checkOptions('connect', options, { mainNodeId: true })
    const mainNodeId = options.mainNodeId?.trim() ?? ''
    // Nothing is sent with the wrong credentials.
    if (mainNodeId !== '' && this.#own.main !== undefined) mustBe(mainNodeId, (await resolveNode(this.#own.main)).nodeId)
    const world = await this.#open()
    if (mainNodeId !== '') mustBe(mainNodeId, (await world.client()).nodeId)
    this.#sid = (await world.connect()).sid
    this.#report({ name: SESSION_CONNECTED_EVENT, detail: { sid: this.#sid } })
  }

  /** The session's id; an error before `connect`. */
  getSessionId(): string {
    if (this.#sid === '') throw new ClosedError('the world is not connected: call connect() first')
    return this.#sid
  }

  /**
   * The address of the page that shows the world. Before `connect` it is that of a host with the paths of the agent-play service,
   * or an error if neither the options nor the credentials file name the host.
   */
  getPreviewUrl(): string {
    if (this.#address !== '') return this.#address
    if (this.#own.baseUrl === undefined) throw new ClosedError('the host is not known yet: call connect() first, or set baseUrl')
    return `${this.#own.baseUrl}/${this.#options.service ?? 'agent-play'}/watch`
  }

  /** Warns that this client creates no secrets for realtime conversations; agents answer texts and tool calls all the same. */
  initAudio(options: RemotePlayWorldInitAudioOptions): this {
    checkOptions('initAudio', options, { openai: true })
    warnTo(this.#options.onWarning, 'initAudio has no effect: this client creates no client secrets for realtime conversations, so agents answer texts and tool calls, not voice')
    return this
  }

  /** Reads the whole world. */
  async getWorldSnapshot(): Promise<WorldSnapshot> {
    return (await this.#open()).getWorldSnapshot()
  }

  /** Reads one node of the player chain. */
  async getPlayerChainNode(stableKey: string): Promise<ChainNode> {
    return (await (await this.#open()).getPlayerChainNode(stableKey.trim())).node
  }

  /** Follows the world: `onSnapshot` gets the snapshot itself. */
  subscribeWorldState(callbacks: SnapshotCallbacks): { close: () => void } {
    const ending = new AbortController()
    const { onSnapshot, onError, onIntercomEvent } = callbacks
    this.#open().then(async (world) => world.subscribeWorldState({
      onSnapshot: async ({ snapshot }) => { await onSnapshot(snapshot) }, signal: ending.signal, mayAnswer: onIntercomEvent !== undefined, ...defined({ onError }),
      onEvent: async (event) => { if (isEvent(event, 'world:intercom')) await onIntercomEvent?.(event.data) },
    })).catch((error: unknown) => { reportTo(onError, asError(error)) })
    return { close: () => { ending.abort(new ClosedError('the subscription was closed')) } }
  }

  /** Puts an agent on the map; its node must exist. */
  async addAgent(input: AddAgentOptions): Promise<RegisteredPlayer> {
    const world = await this.#open()
    const { credentials } = input
    const agent = await world.addAgent(credentials === undefined ? input : { ...input, credentials: withHash(credentials) })
    this.#agents.set(agent.id, agent)
    const now = new Date()
    const { previewUrl, registeredAgent, connectionId, leaseTtlSeconds } = agent.registration
    // The agent-play service may not state it.
    const { enableP2a = input.enableP2a ?? 'off' } = agent.registration as { readonly enableP2a?: P2aEnableFlag }
    return defined({
      id: agent.id, name: agent.name, sid: this.#sid, createdAt: now, updatedAt: now, previewUrl, registeredAgent, enableP2a,
      connectionId: connectionId ?? undefined, leaseTtlSeconds: leaseTtlSeconds ?? undefined, agent,
    })
  }

  /** The older name of `addAgent`. */
  async addPlayer(input: AddAgentOptions): Promise<RegisteredPlayer> {
    return this.addAgent(input)
  }

  /** Records what a player said. */
  async recordInteraction(input: RecordInteractionRequest): Promise<void> {
    await (await this.#open()).recordInteraction(input)
  }

  /** Records a player's journey. */
  async recordJourney(playerId: string, { steps, startedAt, completedAt }: Journey | WireJourney): Promise<void> {
    const time = (at: Date | string) => (typeof at === 'string' ? at : at.toISOString())
    await (await this.#open()).recordJourney(playerId, { steps: steps as WireJourney['steps'], startedAt: time(startedAt), completedAt: time(completedAt) })
  }

  /** Puts an MCP placement on the map and returns its id. */
  async registerMcp(mcp: Mcp): Promise<string> {
    return (await this.#open()).registerMcp(mcp)
  }

  /**
   * Carries out the commands to players, which this or another program put on the map, until it is closed: `executeTool`
   * executes tools, and answers texts unless `chatAgentsByPlayerId` has the agent. Errors of the stream are printed.
   */
  subscribeIntercomCommands(options: SubscribeIntercomCommandsOptions): { close: () => void } {
    const ids = playerIdsOf(options)
    if (ids.length === 0) return { close: () => undefined }
    const opened = this.#listen(ids, options)
    opened.catch((error: unknown) => { if (this.#closing === undefined) reportTo(undefined, asError(error)) })
    return { close: () => { opened.then(async (listener) => listener.close()).catch(() => undefined) } }
  }

  async #listen(ids: readonly string[], options: SubscribeIntercomCommandsOptions): Promise<IntercomListener<Receiver>> {
    const client = await (await this.#open()).client()
    const known = new Set(ids.map(normalizeAgentId))
    const receiver = (id: string): Receiver => this.#agents.get(id) ?? { client }
    const listener = new IntercomListener<Receiver>([client], { execute: async ({ command }) => carryOut(command, options) }, ids, (id) => {
      const normal = normalizeAgentId(id)
      return known.has(normal) ? receiver(normal) : undefined
    })
    this.#listeners.add(listener)
    void listener.done.then(() => this.#listeners.delete(listener))
    if (this.#closing !== undefined) await listener.close()
    return listener
  }

  /** Sends an answer, or a part of it, to a command. */
  async sendIntercomResponse(response: IntercomResponse): Promise<void> {
    const world = await this.#open()
    const client: WorldClient = this.#agents.get(normalizeAgentId(response.fromPlayerId))?.client ?? await world.client()
    await client.intercomResponse(response)
  }

  /** Asks an agent, and waits for its answer. */
  async ask(question: IntercomQuestion): Promise<IntercomEventData> {
    return (await this.#open()).ask(question)
  }

  /** Keeps the program running; it calls no host. */
  hold(): RemotePlayWorldHold {
    return {
      for: async (seconds) => {
        if (!Number.isFinite(seconds)) throw new OptionError('hold().for takes a finite number of seconds, such as 3600')
        const { signal } = this.#ending
        await new Hold(signal).for(seconds).catch((error: unknown) => { if (!signal.aborted) throw error })
      },
    }
  }

  /** Adds a function that `close` calls once. The returned function removes it again. */
  onClose(handler: () => void): () => void {
    const entry = (): void => { handler() }
    this.#onClose.push(entry)
    return () => {
      const place = this.#onClose.indexOf(entry)
      if (place >= 0) this.#onClose.splice(place, 1)
    }
  }

  /** Removes the agents from the map and ends the subscriptions. May be called again. It never rejects: errors are printed. */
  async close(): Promise<void> {
    this.#closing ??= this.#shutdown()
    return this.#closing
  }

  async #shutdown(): Promise<void> {
    // Nothing is awaited before the state shows that the world is closed.
    await Promise.resolve()
    const world = await this.#world?.catch(() => undefined)
    await Promise.all([...this.#listeners].map(async (listener) => listener.close()))
    await world?.close().catch((error: unknown) => { warnTo(this.#options.onWarning, asError(error).message) })
    this.#ending.abort(new ClosedError())
    this.#report({ name: SESSION_CLOSED_EVENT })
    for (const handler of this.#onClose.splice(0)) callBack(handler, (error) => { reportTo(undefined, error) })
  }

  /** Closes the world, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #report(event: RemotePlayWorldSessionEvent): void {
    if (this.#logs) print(event.name, asText(event.detail?.sid))
    callBack(this.#options.onSessionEvent, (error) => { reportTo(undefined, error) }, event)
  }

  get #logs(): boolean {
    return this.#options.logging === 'on' || isAgentPlayDebugEnabled()
  }

  async #open(): Promise<World> {
    if (this.#closing !== undefined) throw new ClosedError()
    this.#world ??= this.#make().catch((error: unknown) => {
      // The next call tries again.
      this.#world = undefined
      throw error
    })
    return this.#world
  }

  async #make(): Promise<World> {
    const { logging: _logging, onSessionEvent: _events, nodeCredentials: _older, mainNodeCredentials: _main, ...rest } = this.#options
    const { baseUrl, main } = this.#own
    const service = rest.service ?? await serviceAt(baseUrl)
    const world = await connect({
      ...rest, ...defined({ baseUrl, service }), ...(main === undefined ? {} : { mainNodeCredentials: main, apiKey: rest.apiKey ?? 'none' }),
    })
    try {
      const client = await world.client()
      this.#sid = (await client.session()).sid
      this.#address = client.transport.baseUrl + client.transport.path('watch')
      if (this.#logs) await world.subscribeEvents({ onEvent: log })
    } catch (error) {
      await world.close()
      throw error
    }
    return world
  }
}

function log({ kind, seq, data }: WorldEvent): void {
  print(kind, seq, asText(data.playerId) ?? asText(data.id))
}

function print(...parts: readonly (string | number | undefined)[]): void {
  // eslint-disable-next-line no-console -- the program asked for it
  console.info(['playctl:', ...parts.filter((part) => part !== undefined)].join(' '))
}
