import type { NodeCredentials } from '../credentials/resolve.js'
import { isPasswHash } from '../credentials/derive.js'
import { createClient } from '../http/client.js'
import { noRetry } from '../http/options.js'
import type { ChainNode, IntercomEventData, Journey, RecordInteractionRequest, WorldSnapshot } from '../protocol/contract.js'
import { ClosedError, OptionError, PlayError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { reportTo } from '../protocol/callback.js'
import { asText } from '../json/read.js'
import type { IntercomQuestion } from '../world/ask.js'
import { connect } from '../world/connect.js'
import type { Hold } from '../world/hold.js'
import type { IntercomOptions, IntercomSubscription } from '../world/intercom_types.js'
import type { Mcp } from '../world/placements.js'
import type { RemotePlayWorld as World } from '../world/remote.js'
import { ownFile } from './file.js'
import { checkOptions } from '../protocol/options.js'
import type { AddAgentOptions } from '../world/agent.js'
import { type RegisteredPlayer, type RemotePlayWorldOptions, type SnapshotCallbacks, playWorldOptions } from './options.js'

/** A journey whose times may be dates. */
type DatedJourney = Omit<Journey, 'startedAt' | 'completedAt'> & { readonly startedAt: Date | string; readonly completedAt: Date | string }

/** A world at a host, with the methods of `@agent-play/sdk`. */
export class RemotePlayWorld {
  readonly #options: RemotePlayWorldOptions
  readonly #onClose: (() => void)[] = []
  #world: Promise<World> | undefined
  #sid = ''
  #address = ''
  #closing: Promise<void> | undefined

  /** Creates a world; it connects with the first call. */
  constructor(options: RemotePlayWorldOptions = {}) {
    checkOptions('RemotePlayWorld', options, playWorldOptions)
    this.#options = options
    if (options.apiKey?.trim() === '') throw new OptionError('apiKey is empty: give the account\'s key, or any text if the host checks none')
  }

  /** Connects and reads the session. */
  async connect(): Promise<void> {
    const world = await this.#open()
    this.#sid = (await world.connect()).sid
  }

  /** The session's id; an error before `connect`. */
  getSessionId(): string {
    if (this.#sid === '') throw new ClosedError('the world is not connected: call connect() first')
    return this.#sid
  }

  /** The address of the page that shows the world; an error before `connect`. */
  getPreviewUrl(): string {
    this.getSessionId()
    return this.#address
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
    this.#open().then(async (world) => world.subscribeWorldState({
      onSnapshot: async ({ snapshot }) => { await callbacks.onSnapshot(snapshot) }, signal: ending.signal,
      ...(callbacks.onError === undefined ? {} : { onError: callbacks.onError }),
    })).catch((error: unknown) => { reportTo(callbacks.onError, error as Error) })
    return { close: () => { ending.abort(new ClosedError('the subscription was closed')) } }
  }

  /** Puts an agent on the map; its node must exist. */
  async addAgent(input: AddAgentOptions): Promise<RegisteredPlayer> {
    const world = await this.#open()
    const { credentials } = input
    const agent = await world.addAgent(credentials === undefined ? input : { ...input, credentials: withHash(credentials) })
    const now = new Date()
    const { previewUrl, registeredAgent } = agent.registration
    return { id: agent.id, name: agent.name, sid: this.#sid, createdAt: now, updatedAt: now, previewUrl, registeredAgent, agent }
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
  async recordJourney(playerId: string, journey: DatedJourney): Promise<void> {
    const time = (at: Date | string) => (typeof at === 'string' ? at : at.toISOString())
    await (await this.#open()).recordJourney(playerId, { ...journey, startedAt: time(journey.startedAt), completedAt: time(journey.completedAt) })
  }

  /** Puts an MCP placement on the map and returns its id. */
  async registerMcp(mcp: Mcp): Promise<string> {
    return (await this.#open()).registerMcp(mcp)
  }

  /** Carries out the commands to the world's agents. */
  async subscribeIntercomCommands(options: IntercomOptions): Promise<IntercomSubscription> {
    return (await this.#open()).subscribeIntercomCommands(options)
  }

  /** Asks an agent, and waits for its answer. */
  async ask(question: IntercomQuestion): Promise<IntercomEventData> {
    return (await this.#open()).ask(question)
  }

  /** Calls a function for each event of the session. The returned function removes it again. */
  onSessionEvent(handler: (event: WorldEvent) => void | Promise<void>): () => void {
    const subscribed = this.#open().then(async (world) => world.subscribeEvents({ onEvent: handler }))
    subscribed.catch((error: unknown) => { reportTo(undefined, error as Error) })
    return () => { void subscribed.then(async (subscription) => subscription.close(), () => undefined) }
  }

  /** Keeps the program going. */
  hold(): Pick<Hold, 'for'> {
    return { for: async (seconds) => (await this.#open()).hold().for(seconds) }
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

  /** Removes the agents from the map and ends the subscriptions. May be called again. */
  async close(): Promise<void> {
    this.#closing ??= this.#shutdown()
    return this.#closing
  }

  async #shutdown(): Promise<void> {
    // Nothing is awaited before the state shows that the world is closed.
    await Promise.resolve()
    const world = await this.#world?.catch(() => undefined)
    try {
      await world?.close()
    } finally {
      for (const handler of this.#onClose.splice(0)) {
        try {
          handler()
        } catch (error) {
          reportTo(undefined, error as Error)
        }
      }
    }
  }

  /** Closes the world, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
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
    const { logging, onSessionEvent, nodeCredentials, mainNodeCredentials, ...rest } = this.#options
    const given = mainNodeCredentials ?? nodeCredentials
    const file = given === undefined ? await ownFile() : undefined
    const main = given === undefined ? file?.main : withHash(given)
    const baseUrl = rest.baseUrl ?? file?.server
    const service = rest.service ?? await serviceAt(baseUrl)
    const world = await connect({
      ...rest, ...(baseUrl === undefined ? {} : { baseUrl }), ...(service === undefined ? {} : { service }),
      ...(main === undefined ? {} : { mainNodeCredentials: main, apiKey: rest.apiKey ?? 'none' }),
    })
    try {
      const client = await world.client()
      this.#sid = (await client.session()).sid
      this.#address = client.transport.baseUrl + client.transport.path('watch')
      if (onSessionEvent !== undefined) await world.subscribeEvents({ onEvent: onSessionEvent })
      if (logging === 'on') await world.subscribeEvents({ onEvent: log })
    } catch (error) {
      await world.close()
      throw error
    }
    return world
  }
}

function log({ kind, seq, data }: WorldEvent): void {
  // eslint-disable-next-line no-console -- the program asked for it
  console.log(`playctl: ${kind} ${seq ?? ''} ${asText(data.playerId) ?? asText(data.id) ?? ''}`.trimEnd())
}

/** Returns the name of the service whose routes a host has: agent-play if the host serves its routes. */
async function serviceAt(baseUrl: string | undefined): Promise<string | undefined> {
  if (baseUrl === undefined) return undefined
  try {
    await createClient({ baseUrl, service: 'agent-play', retry: noRetry }).session()
  } catch (error) {
    if (error instanceof PlayError && error.status === 404) return 'play'
    if (!(error instanceof PlayError)) throw error
  }
  return 'agent-play'
}

/** Credentials whose `passw` may be a phrase. */
function withHash({ passw, ...rest }: NodeCredentials): NodeCredentials {
  if (passw === undefined) return rest
  return isPasswHash(passw) ? { ...rest, passw } : { ...rest, phrase: passw }
}
