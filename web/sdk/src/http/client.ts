import { parseNodeReply, readNode } from '../chain/node.js'
import { ChainError } from '../chain/row.js'
import { asArray, asObject, asPosition, asText, member } from '../json/read.js'
import type { PlayerChainNodeReply, PlayerChainNodesReply } from '../protocol/chain.js'
import { PlayError, ReplyError } from '../protocol/errors.js'
import type { IntercomCommand } from '../protocol/events.js'
import type * as wire from '../protocol/replies.js'
import type { JsonObject, Journey, Space, WorldSnapshot } from '../protocol/rows.js'
import { WorldCopy } from '../chain/copy.js'
import { type Call, type Reply, largeReply, routeOf } from './call.js'
import { Identity } from './identity.js'
import type { CallOptions, ClientOptions, NodeIdentity, Retry } from './options.js'
import { typed } from './reply.js'
import { type Shared, Transport } from './transport.js'

/** What is asked of the whole world's state. */
export interface ReadOptions extends CallOptions {
  /** Asks for an answer from at least that rev. */
  readonly minRev?: number
}

/** What is asked of chain nodes. */
export interface NodeOptions extends ReadOptions {
  /** Asks for the state of that rev, which counts as `minRev` as well; the reply says of which it is. Only for hosts with `chain-at-rev`. */
  readonly atRev?: number
}

/**
 * Calls one host as one caller: one method for each route of a world. It keeps
 * the session, repeats what may be repeated, and sends one idempotency key with
 * all attempts of a write.
 */
export class WorldClient {
  /** @internal */
  readonly transport: Transport
  readonly #options: ClientOptions

  /** Use `createClient`. @internal */
  constructor(options: ClientOptions, transport = new Transport(options)) {
    this.transport = transport
    const { credentials: _credentials, apiKey: _apiKey, registrationToken: _token, ...rest } = options
    this.#options = rest
  }

  /** The id of the node that calls; empty if none does. */
  get nodeId(): string {
    return this.transport.who.nodeId
  }

  /** A client of the same host and session that calls as another node. @internal */
  as(node: NodeIdentity, apiKey?: string): WorldClient {
    return this.#with({ who: new Identity(node, apiKey) })
  }

  /** A client of the same session that repeats by other rules. @internal */
  withRetry(retry: Retry): WorldClient {
    return this.#with({ retry })
  }

  /** A client of the same session whose calls all end with a signal, or with none but their own. @internal */
  withLife(life: AbortSignal | undefined): WorldClient {
    return this.#with({ life })
  }

  #with(other: Partial<Shared>): WorldClient {
    const { session, who, retry, life } = this.transport
    return new WorldClient(this.#options, new Transport(this.#options, { session, who, retry, life, ...other }))
  }

  /** Fetches the session and what the host can do. */
  async session(options?: CallOptions): Promise<wire.SessionReply> {
    return this.transport.fetchSession(options?.signal)
  }

  /** Reads the whole world. It is not verified: `subscribeWorld` and `RemotePlayWorld` do that. */
  async snapshot(options?: ReadOptions): Promise<WorldSnapshot> {
    return (await this.worldCopy(options)).copy.snapshot
  }

  /** Reads the whole world with its chain and with what the host states for it. @internal */
  async worldCopy(options?: ReadOptions): Promise<ReturnType<typeof WorldCopy.parse>> {
    const call = this.#read('getWorldSnapshot', {}, options?.minRev)
    const reply = await this.transport.do(call, options?.signal)
    return understood(call, () => WorldCopy.parse(member(asObject(reply.value), 'snapshot')))
  }

  /** Reads one node of the player chain. Whether it answers for the key is for the caller to check. */
  async playerChainNode(stableKey: string, options?: NodeOptions): Promise<PlayerChainNodeReply> {
    const call = this.#read('getPlayerChainNode', { stableKey, ...at(options) }, leastRev(options))
    const reply = await this.transport.do(call, options?.signal)
    return understood(call, () => parseNodeReply(reply.value))
  }

  /** Reads up to 256 nodes as of one rev. */
  async playerChainNodes(stableKeys: readonly string[], options?: NodeOptions): Promise<PlayerChainNodesReply> {
    const call = this.#read('getPlayerChainNodes', { stableKeys, ...at(options) }, leastRev(options))
    const { value } = await this.transport.do(call, options?.signal)
    return understood(call, () => {
      const body = asObject(value)
      const nodes = (asArray(member(body, 'nodes')) ?? []).map(readNode)
      const rev = asPosition(member(body, 'rev'))
      const merkleRootHex = asText(member(body, 'merkleRootHex'))
      const merkleLeafCount = asPosition(member(body, 'merkleLeafCount'))
      return {
        nodes,
        ...(rev === undefined ? {} : { rev }),
        ...(merkleRootHex === undefined ? {} : { merkleRootHex }),
        ...(merkleLeafCount === undefined ? {} : { merkleLeafCount }),
      }
    })
  }

  /** Puts an agent on the map, or changes its row. */
  async register(request: wire.RegisterRequest, options?: CallOptions): Promise<wire.RegisterReply> {
    return this.#post('/players', request, 'same', { playerId: 'text', registeredAgent: 'object' }, options)
  }

  /** Renews an agent's lease. */
  async heartbeat(request: { playerId: string; connectionId: string; leaseTtlSeconds?: number }, options?: CallOptions): Promise<wire.HeartbeatReply> {
    return this.#send({ ...this.#write('/players/heartbeat', request, 'same'), keyless: true }, {}, options)
  }

  /** Takes an agent off the map. */
  async disconnect(request: { playerId: string; connectionId?: string }, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('/players/disconnect', request, 'same', {}, options)
  }

  /** Puts an MCP placement of the calling main node on the map, or changes the one of that name. */
  async registerMcp(request: { name: string; url?: string }, options?: CallOptions): Promise<{ readonly id: string }> {
    return this.#post('/mcp/register', request, 'same', { id: 'text' }, options)
  }

  /** Takes an MCP placement off the map; `ok` is false if there was none of that id. */
  async unregisterMcp(id: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('/mcp/unregister', { id }, 'keyed', {}, options)
  }

  /** Starts a new session, as the administrator. */
  async resetSession(options?: CallOptions): Promise<{ readonly sid: string }> {
    const before = await this.transport.sid(options?.signal)
    const reply = await this.#post<{ readonly sid: string }>('/session/reset', {}, 'keyed', { sid: 'text' }, options)
    this.transport.session.forget(before)
    return reply
  }

  /** Takes any occupant off the map, as the administrator. */
  async removeOccupant(stableKey: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('/occupants/remove', { stableKey }, 'keyed', {}, options)
  }

  /** Calls a tool of an agent for a person. The answers come as `world:intercom` events of the request's id. */
  async assistTool(request: wire.AssistToolRequest, options?: CallOptions): Promise<wire.OkReply & { readonly requestId: string }> {
    return this.#post('/assist-tool', request, 'keyed', { requestId: 'text' }, options)
  }

  /** Signals that someone met an agent on the map. */
  async proximityAction(request: wire.ProximityRequest, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('/proximity-action', request, 'keyed', {}, options)
  }

  /** Records a chat line, once. */
  async recordInteraction(request: wire.RecordInteractionRequest, options?: CallOptions): Promise<wire.RecordInteractionReply> {
    return this.#op('recordInteraction', request, 'keyed', {}, options)
  }

  /** Records a journey, once. */
  async recordJourney(request: { playerId: string; journey: Journey }, options?: CallOptions): Promise<wire.RecordJourneyReply> {
    return this.#op('recordJourney', request, 'keyed', {}, options)
  }

  /** Reads a page of chat lines, newest last. */
  async listInteractions(request: wire.ListRequest = {}, options?: CallOptions): Promise<wire.InteractionsReply> {
    return this.#send(this.#read('listInteractions', request), { interactions: 'list' }, options)
  }

  /** Reads a page of journeys, newest last. */
  async listJourneys(request: wire.ListRequest = {}, options?: CallOptions): Promise<wire.JourneysReply> {
    return this.#send(this.#read('listJourneys', request), { journeys: 'list' }, options)
  }

  /** Asks an agent for something. The id of the request makes a repeat harmless. */
  async intercomCommand(command: IntercomCommand, options?: CallOptions): Promise<wire.OkReply> {
    return this.#op('intercomCommand', command, 'same', {}, options)
  }

  /** Answers a command, as the agent that was asked. */
  async intercomResponse(response: JsonObject, options?: CallOptions): Promise<wire.OkReply> {
    return this.#op('intercomResponse', response, 'keyed', {}, options)
  }

  /** Makes a space, as a main node. */
  async registerSpaceNode(request: wire.RegisterSpaceRequest, options?: CallOptions): Promise<{ readonly space: Space }> {
    return this.#op('registerSpaceNode', request, 'keyed', { space: 'object' }, options)
  }

  /** Makes a space, its node and a structure on the map, as a main node. */
  async createSpace(request: wire.CreateSpaceRequest, options?: CallOptions): Promise<wire.CreateSpaceReply> {
    return this.#op('createSpace', request, 'keyed', { spaceId: 'text' }, options)
  }

  /** Reads all spaces. */
  async listSpaceNodes(options?: CallOptions): Promise<{ readonly spaces: readonly Space[] }> {
    return this.#send(this.#read('listSpaceNodes', {}), { spaces: 'list' }, options)
  }

  /** Reads a space, with its log where the caller may see it. */
  async inspectSpace(spaceId: string, options?: CallOptions): Promise<wire.InspectSpaceReply> {
    return this.#send(this.#read('inspectSpace', { spaceId }), { space: 'object' }, options)
  }

  /** Removes a space with its structure, its node and its log. */
  async removeSpace(spaceId: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#op('removeSpace', { spaceId }, 'keyed', {}, options)
  }

  /** Gives a space an amenity. */
  async addSpaceAmenity(request: { spaceId: string; kind: string }, options?: CallOptions): Promise<{ readonly space: Space }> {
    return this.#op('addSpaceAmenity', request, 'keyed', { space: 'object' }, options)
  }

  /** Takes an amenity from a space; the last one stays. */
  async removeSpaceAmenity(request: { spaceId: string; kind: string }, options?: CallOptions): Promise<{ readonly space: Space }> {
    return this.#op('removeSpaceAmenity', request, 'keyed', { space: 'object' }, options)
  }

  /** Makes a main node. The reply holds its first API key, once. */
  async createMainNode(node: NodeIdentity, options?: CallOptions): Promise<wire.CreateNodeReply> {
    const body = { kind: 'main', nodeId: node.nodeId, passwHash: node.passwHash }
    return this.#send({ method: 'POST', path: '/api/nodes', body, repeat: 'keyed' }, { nodeId: 'text' }, options)
  }

  /** Makes an agent node of the calling main node. */
  async createAgentNode(node: NodeIdentity, options?: CallOptions): Promise<{ readonly agentId: string }> {
    const body = { kind: 'agent', parentNodeId: this.nodeId, agentNodeId: node.nodeId, agentNodePasswHash: node.passwHash }
    return this.#send({ method: 'POST', path: '/api/nodes/agent-node', body, repeat: 'keyed' }, { agentId: 'text' }, options)
  }

  /** Lists the calling main node and its agent nodes. */
  async nodes(options?: CallOptions): Promise<wire.NodesReply> {
    return this.#send({ method: 'GET', path: '/api/nodes', repeat: 'read', limit: largeReply }, { agentNodes: 'list' }, options)
  }

  /** Deletes an agent node of the calling main node; `ok` is false if there is none of that id. */
  async deleteAgent(id: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#send({ method: 'DELETE', path: '/api/agents', query: { id }, repeat: 'keyed' }, {}, options)
  }

  /** Deletes the calling main node with everything it holds; `confirm` repeats its id. */
  async deleteNode(confirm: string, options?: CallOptions): Promise<wire.OkReply> {
    const call: Call = { method: 'DELETE', path: '/api/nodes', body: { confirmNodeId: confirm }, repeat: 'keyed', gone: true }
    return this.#send(call, {}, options)
  }

  /** Gives the calling main node another API key; the one before is worth nothing from then on. */
  async createApiKey(options?: CallOptions): Promise<{ readonly apiKey: string }> {
    return this.#send({ method: 'POST', path: '/api/nodes/api-key', body: {}, repeat: 'keyed' }, { apiKey: 'text' }, options)
  }

  /**
   * Gets the cookie of a client whose credentials are `{ cookie: true }`: for the token of
   * a watch link, or without one for the cookie that the browser has, or for what is free.
   */
  async watchSession(token?: string, options?: CallOptions): Promise<wire.WatchSessionReply> {
    const body = token === undefined ? {} : { token }
    const call: Call = { method: 'POST', path: `/${this.transport.service}/watch/session`, body, repeat: 'same', keyless: true }
    return this.#send(call, { scope: 'text' }, options)
  }

  /** Asks whether a node exists and derives from a root key. A negative answer is a reply, not an error. */
  async validate(request: { nodeId?: string; rootKey?: string; mainNodeId?: string }, options?: CallOptions): Promise<wire.ValidateReply> {
    const call: Call = { method: 'POST', path: '/api/nodes/validate', body: request, repeat: 'same', keyless: true, accept: 400 }
    const reply: Reply = await this.transport.do(call, options?.signal)
    const verdict = typed<wire.ValidateReply & { readonly error?: string; readonly code?: string }>(call, reply, {})
    // The other kind of 400: the request was wrong.
    if (reply.status === 400 && !verdict.reason) {
      const message = this.transport.who.scrub(verdict.error ?? 'the host refused the request')
      throw new PlayError({ status: 400, code: verdict.code ?? 'body_invalid', message })
    }
    return verdict
  }

  #read(op: string, payload: object, minRev?: number): Call {
    const call: Call = { method: 'POST', path: this.transport.api('/sdk/rpc'), body: { op, payload }, repeat: 'read', limit: largeReply, world: true }
    return minRev === undefined || minRev === 0 ? call : { ...call, minRev }
  }

  #write(path: string, body: object, repeat: 'same' | 'keyed'): Call {
    return { method: 'POST', path: this.transport.api(path), body, sid: true, repeat }
  }

  async #post<T>(path: string, body: object, repeat: 'same' | 'keyed', needs: Parameters<typeof typed>[2], options?: CallOptions): Promise<T> {
    return this.#send(this.#write(path, body, repeat), needs, options)
  }

  async #op<T>(op: string, payload: object, repeat: 'same' | 'keyed', needs: Parameters<typeof typed>[2], options?: CallOptions): Promise<T> {
    return this.#post('/sdk/rpc', { op, payload }, repeat, needs, options)
  }

  async #send<T>(call: Call, needs: Parameters<typeof typed>[2], options?: CallOptions): Promise<T> {
    return typed<T>(call, await this.transport.do(call, options?.signal), needs)
  }
}

function at(options: NodeOptions | undefined): { atRev?: number } {
  return options?.atRev === undefined ? {} : { atRev: options.atRev }
}

function leastRev(options: NodeOptions | undefined): number {
  return Math.max(options?.minRev ?? 0, options?.atRev ?? 0)
}

/** Turns a reply that the chain's readers refuse into the error of its route. */
function understood<T>(call: Call, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChainError) throw new ReplyError(routeOf(call), error.message, { cause: error })
    throw error
  }
}

/** Makes a client. It checks the options, `OptionError` if they are wrong, and connects to nothing. */
export function createClient(options: ClientOptions): WorldClient {
  return new WorldClient(options)
}
