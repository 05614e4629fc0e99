import { parseNodeReply } from '../chain/node.js'
import { asObject, member } from '../json/read.js'
import type * as wire from '../protocol/contract.js'
import { operations, paths, queries, type servicePaths } from '../protocol/contract.js'
import { PlayError } from '../protocol/errors.js'
import { WorldCopy } from '../chain/copy.js'
import { PastWorld } from '../chain/past.js'
import { type ProvedLeaf, proveLeaf } from '../chain/proof.js'
import { type Call, type Reply, largeReply } from './call.js'
import { Identity } from './identity.js'
import { type CallOptions, type ClientOptions, type NodeIdentity, type NodeOptions, type ReadOptions, type Retry, clientOptions } from './options.js'
import { checkOptions } from '../protocol/options.js'
import { allPages, at, chainNodes, leastRev, understood } from './reading.js'
import { typed } from './reply.js'
import { requestOf } from './request.js'
import { type Shared, Transport } from './transport.js'

/** Some nodes of the chain; fields that an older host does not state are absent. */
export type ChainNodes = Pick<wire.ChainNodesReply, 'nodes'> & Partial<wire.ChainNodesReply>

/** The required members of a reply, with their types. */
type Needs = Parameters<typeof typed>[2]

/**
 * Calls one host as one caller: one method for each route of a world. It keeps
 * the session, retries calls that are safe to repeat, and sends one idempotency key with
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

  /** A client of the same session that retries by other rules. @internal */
  withRetry(retry: Retry): WorldClient {
    return this.#with({ retry })
  }

  /** A client of the same session whose calls all end with a signal, or only with their own. @internal */
  withLife(life: AbortSignal | undefined): WorldClient {
    return this.#with({ life })
  }

  #with(other: Partial<Shared>): WorldClient {
    const { session, who, retry, life } = this.transport
    return new WorldClient(this.#options, new Transport(this.#options, { session, who, retry, life, ...other }))
  }

  /** Fetches the session and the host's capabilities. */
  async session(options?: CallOptions): Promise<wire.SessionReply> {
    return this.transport.fetchSession(options?.signal)
  }

  /** Reads the host's root key, from which node ids are derived, and who may create a main node. Nodes of the host may call it, and if registration is open anybody. */
  async bootstrap(options?: CallOptions): Promise<wire.BootstrapReply> {
    return this.#send({ method: 'GET', path: this.transport.path('bootstrap'), repeat: 'read' }, { rootKey: 'text' }, options)
  }

  /** Reads the whole world. It is not verified: `subscribeWorld` and `RemotePlayWorld` do that. */
  async snapshot(options?: ReadOptions): Promise<wire.WorldSnapshot> {
    return (await this.worldCopy(options)).copy.snapshot
  }

  /** Reads the whole world with its chain and with the host's stated root and count. @internal */
  async worldCopy(options?: ReadOptions): Promise<ReturnType<typeof WorldCopy.parse>> {
    const call = this.#read('getWorldSnapshot', {}, options?.minRev)
    const reply = await this.transport.do(call, options?.signal)
    return understood(call, () => WorldCopy.parse(member(asObject(reply.value), 'snapshot')))
  }

  /** Reads one node of the player chain. The caller must check that it has the requested key. */
  async playerChainNode(stableKey: string, options?: NodeOptions): Promise<wire.ChainNodeReply> {
    const call = this.#read('getPlayerChainNode', { stableKey, ...at(options) }, leastRev(options))
    const reply = await this.transport.do(call, options?.signal)
    return understood(call, () => parseNodeReply(reply.value))
  }

  /** Reads up to `limits.maxStableKeys` nodes as of one rev. */
  async playerChainNodes(stableKeys: readonly string[], options?: NodeOptions): Promise<ChainNodes> {
    const call = this.#read('getPlayerChainNodes', { stableKeys, ...at(options) }, leastRev(options))
    const { value } = await this.transport.do(call, options?.signal)
    return understood(call, () => chainNodes(value))
  }

  /** Puts an agent on the map, or changes its row. */
  async register(request: wire.RegisterRequest, options?: CallOptions): Promise<wire.RegisterReply> {
    return this.#post('players', requestOf('players', request), 'same', { playerId: 'text', registeredAgent: 'object' }, options)
  }

  /** Renews an agent's lease. */
  async heartbeat(request: wire.HeartbeatRequest, options?: CallOptions): Promise<wire.HeartbeatReply> {
    return this.#send({ ...this.#write('heartbeat', requestOf('heartbeat', request), 'same'), keyless: true }, {}, options)
  }

  /** Removes an agent from the map. */
  async disconnect(request: wire.DisconnectRequest, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('disconnect', requestOf('disconnect', request), 'same', {}, options)
  }

  /** Puts an MCP placement of the calling main node on the map, or changes the one of that name. */
  async registerMcp(request: wire.McpRegisterRequest, options?: CallOptions): Promise<wire.IdReply> {
    return this.#post('mcpRegister', requestOf('mcpRegister', request), 'same', { id: 'text' }, options)
  }

  /** Removes an MCP placement from the map; `ok` is false if there was none with that id. */
  async unregisterMcp(id: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('mcpUnregister', { id }, 'keyed', {}, options)
  }

  /** Starts a new session, as the administrator. */
  async resetSession(options?: CallOptions): Promise<wire.ResetReply> {
    const before = await this.transport.sid(options?.signal)
    const reply = await this.#post<wire.ResetReply>('reset', {}, 'keyed', { sid: 'text' }, options)
    this.transport.session.forget(before)
    return reply
  }

  /** Removes any occupant from the map, as the administrator. */
  async removeOccupant(stableKey: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('removeOccupant', { stableKey }, 'keyed', {}, options)
  }

  /** Calls a tool of an agent for a person. The answers come as `world:intercom` events of the request's id. */
  async assistTool(request: wire.AssistToolRequest, options?: CallOptions): Promise<wire.RequestReply> {
    return this.#post('assistTool', requestOf('assistTool', request), 'keyed', { requestId: 'text' }, options)
  }

  /**
   * Puts the person of the caller's watch cookie on the map, changes the row, or renews its lease if nothing
   * changes: call it again before the lease expires. The reply's row says where the person is. Only for hosts with `person`.
   */
  async putPerson(request: wire.PersonRequest, options?: CallOptions): Promise<wire.PersonReply> {
    return this.#send({ ...this.#write('person', requestOf('person', request), 'same'), method: 'PUT', keyless: true }, { person: 'object' }, options)
  }

  /** Removes the person of the caller's watch cookie from the map; `ok` is false if there was none. */
  async deletePerson(options?: CallOptions): Promise<wire.OkReply> {
    return this.#send({ method: 'DELETE', path: this.transport.path('person'), sid: true, repeat: 'keyed' }, {}, options)
  }

  /** Signals that someone met an agent or a person on the map. */
  async proximityAction(request: wire.ProximityActionRequest, options?: CallOptions): Promise<wire.OkReply> {
    return this.#post('proximityAction', requestOf('proximityAction', request), 'keyed', {}, options)
  }

  /** Records a chat line, once. */
  async recordInteraction(request: wire.RecordInteractionRequest, options?: CallOptions): Promise<wire.RecordInteractionReply> {
    return this.#op('recordInteraction', request, {}, options)
  }

  /** Records a journey, once. */
  async recordJourney(request: wire.RecordJourneyRequest, options?: CallOptions): Promise<wire.RecordJourneyReply> {
    return this.#op('recordJourney', request, {}, options)
  }

  /** Records what an agent does now, in place of what it did before. Only for hosts with `activity`; `Agent` has methods that send no more than necessary. */
  async recordActivity(request: wire.RecordActivityRequest, options?: CallOptions): Promise<wire.RecordActivityReply> {
    return this.#send({ ...this.#write('rpc', payloadOf('recordActivity', request), 'same'), keyless: true }, {}, options)
  }

  /** Reads a row with the digests that prove it, and checks them. Only for hosts with `chain-proof`. */
  async provedLeaf(stableKey: string, options?: CallOptions): Promise<ProvedLeaf> {
    const call = this.#read('getPlayerChainProof', { stableKey })
    const reply = await this.#op('getPlayerChainProof', { stableKey }, { path: 'list' }, options)
    return understood(call, () => proveLeaf(reply, stableKey))
  }

  /** Lists events of this session, the oldest first: a page of the events that the host stores. Not every host supports it. */
  async listEvents(request: wire.ListEventsRequest = {}, options?: CallOptions): Promise<wire.ListEventsReply> {
    return this.#op('listEvents', request, { events: 'list' }, options)
  }

  /** Lists whether programs answer for agents on the map: for those with these ids, or for all. Not every host supports it. */
  async listAnswering(playerIds?: readonly string[], options?: CallOptions): Promise<wire.ListAnsweringReply> {
    return this.#op('listAnswering', playerIds === undefined ? {} : { playerIds }, { agents: 'list' }, options)
  }

  /** Reads the newest stored map up to a rev, or else the oldest of this session. Not every host supports it. */
  async pastWorld(rev: number, options?: CallOptions): Promise<PastWorld> {
    const call = this.#read('getWorldSnapshotAt', { rev })
    const reply = await this.transport.do(call, options?.signal)
    return understood(call, () => PastWorld.of(member(asObject(reply.value), 'snapshot')))
  }

  /** Reads chat lines, newest last: as many as were requested, in several requests if the host's pages end early. */
  async listInteractions(request: wire.ListRequest = {}, options?: CallOptions): Promise<wire.InteractionsReply> {
    const { rows, rest } = await allPages(request, async (part) => {
      const page = await this.#op('listInteractions', part, { interactions: 'list' }, options)
      return [page.interactions, page.hasMore, page.damaged]
    })
    return { interactions: rows, ...rest }
  }

  /** Reads journeys as {@link listInteractions} reads chat lines. */
  async listJourneys(request: wire.ListRequest = {}, options?: CallOptions): Promise<wire.JourneysReply> {
    const { rows, rest } = await allPages(request, async (part) => {
      const page = await this.#op('listJourneys', part, { journeys: 'list' }, options)
      return [page.journeys, page.hasMore, page.damaged]
    })
    return { journeys: rows, ...rest }
  }

  /**
   * Sends a command to an agent. The id of the request makes a retry harmless. With `ifAnswering` a host
   * that knows that no program answers for the agent refuses with `agent_not_answering`.
   */
  async intercomCommand(command: wire.IntercomCommand, options: CallOptions & { readonly ifAnswering?: boolean } = {}): Promise<wire.OkReply> {
    const call = this.#write('rpc', payloadOf('intercomCommand', command), 'same')
    const checked = options.ifAnswering === true && this.transport.service === 'play'
    return this.#send(checked ? { ...call, query: { [queries.ifAnswering]: '1' } } : call, {}, options)
  }

  /** Answers a command, as the agent that received it. */
  async intercomResponse(response: wire.IntercomResponse, options?: CallOptions): Promise<wire.OkReply> {
    return this.#op('intercomResponse', response, {}, options)
  }

  /** Creates a space, as a main node. */
  async registerSpaceNode(request: wire.RegisterSpaceRequest, options?: CallOptions): Promise<wire.SpaceReply> {
    return this.#op('registerSpaceNode', request, { space: 'object' }, options)
  }

  /** Creates a space, its node and a structure on the map, as a main node. */
  async createSpace(request: wire.CreateSpaceRequest, options?: CallOptions): Promise<wire.CreateSpaceReply> {
    return this.#op('createSpace', request, { spaceId: 'text' }, options)
  }

  /** Reads all spaces. */
  async listSpaceNodes(options?: CallOptions): Promise<wire.SpacesReply> {
    return this.#op('listSpaceNodes', {}, { spaces: 'list' }, options)
  }

  /** Reads a space, with its log if the caller may see it. */
  async inspectSpace(spaceId: string, options?: CallOptions): Promise<wire.InspectSpaceReply> {
    return this.#op('inspectSpace', { spaceId }, { space: 'object' }, options)
  }

  /** Removes a space with its structure, its node and its log. */
  async removeSpace(spaceId: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#op('removeSpace', { spaceId }, {}, options)
  }

  /** Adds an amenity to a space. */
  async addSpaceAmenity(request: wire.AmenityRequest, options?: CallOptions): Promise<wire.SpaceReply> {
    return this.#op('addSpaceAmenity', request, { space: 'object' }, options)
  }

  /** Removes an amenity from a space; the last one cannot be removed. */
  async removeSpaceAmenity(request: wire.AmenityRequest, options?: CallOptions): Promise<wire.SpaceReply> {
    return this.#op('removeSpaceAmenity', request, { space: 'object' }, options)
  }

  /** Creates a main node. The reply contains its first API key, once. */
  async createMainNode(node: NodeIdentity, options?: CallOptions): Promise<wire.CreateNodeReply> {
    const body = { kind: 'main', nodeId: node.nodeId, passwHash: node.passwHash }
    return this.#send({ method: 'POST', path: paths.nodes, body, repeat: 'keyed' }, { nodeId: 'text' }, options)
  }

  /** Creates an agent node of the calling main node. */
  async createAgentNode(node: NodeIdentity, options?: CallOptions): Promise<wire.AgentNodeReply> {
    const body = { kind: 'agent', parentNodeId: this.nodeId, agentNodeId: node.nodeId, agentNodePasswHash: node.passwHash }
    return this.#send({ method: 'POST', path: paths.agentNode, body, repeat: 'keyed' }, { agentId: 'text' }, options)
  }

  /** Lists the calling main node and its agent nodes. */
  async nodes(options?: CallOptions): Promise<wire.NodesReply> {
    return this.#send({ method: 'GET', path: paths.nodes, repeat: 'read', limit: largeReply }, { agentNodes: 'list' }, options)
  }

  /** Deletes an agent node of the calling main node; `ok` is false if there is none with that id. */
  async deleteAgent(id: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#send({ method: 'DELETE', path: paths.agents, query: { [queries.id]: id }, repeat: 'keyed' }, {}, options)
  }

  /** Deletes the calling main node with everything it owns; `confirm` repeats its id. */
  async deleteNode(confirm: string, options?: CallOptions): Promise<wire.OkReply> {
    const call: Call = { method: 'DELETE', path: paths.nodes, body: { confirmNodeId: confirm }, repeat: 'keyed', gone: true }
    return this.#send(call, {}, options)
  }

  /** Sets the label of the calling main node or of one of its agents, which only the account and the administrator see. */
  async labelNode(nodeId: string, label: string, options?: CallOptions): Promise<wire.LabelReply> {
    return this.#send({ method: 'POST', path: paths.nodeLabel, body: { nodeId, label }, repeat: 'keyed' }, { nodeId: 'text' }, options)
  }

  /** Lists the API keys of the calling main node, the default one first. */
  async apiKeys(options?: CallOptions): Promise<wire.KeysReply> {
    return this.#send({ method: 'GET', path: paths.nodeApiKeys, repeat: 'read' }, { keys: 'list' }, options)
  }

  /** Creates one more API key of the calling main node, without an expiry if no term is given; the others stay valid. */
  async addApiKey(name: string, expiresInSeconds?: number, options?: CallOptions): Promise<wire.CreateKeyReply> {
    const body = { name, ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }) }
    return this.#send({ method: 'POST', path: paths.nodeApiKeys, body, repeat: 'keyed' }, { apiKey: 'text' }, options)
  }

  /** Revokes an API key of the calling main node; `ok` is false if it has none of that name. */
  async revokeApiKey(name: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#send({ method: 'DELETE', path: paths.nodeApiKeys, query: { [queries.name]: name }, repeat: 'keyed' }, {}, options)
  }

  /** Replaces the default API key of the calling main node; the one before is invalid from then on. */
  async createApiKey(options?: CallOptions): Promise<wire.ApiKeyReply> {
    return this.#send({ method: 'POST', path: paths.nodeApiKey, body: {}, repeat: 'keyed' }, { apiKey: 'text' }, options)
  }

  /**
   * Gets the cookie of a client whose credentials are `{ cookie: true }`: for the token of
   * a watch link, or without one for the cookie that the browser has, or for what is free.
   */
  async watchSession(token?: string, options?: CallOptions): Promise<wire.WatchSessionReply> {
    const body = token === undefined ? {} : { token }
    const call: Call = { method: 'POST', path: this.transport.path('watchSession'), body, repeat: 'same', keyless: true }
    return this.#send(call, { scope: 'text' }, options)
  }

  /** Gets a pass that allows watching for an hour, which a page in a frame sends in the header `x-watch-pass`: its cookies do not reach the host. */
  async watchPass(token?: string, options?: CallOptions): Promise<wire.WatchSessionReply & { readonly pass: string }> {
    const body = { framed: true, ...(token !== undefined && { token }) }
    return this.#send({ method: 'POST', path: this.transport.path('watchSession'), body, repeat: 'same', keyless: true }, { scope: 'text', pass: 'text' }, options)
  }

  /** Creates a token for a link to the watch page: its `url`, `#token=` and its `token`. */
  async watchToken(options?: CallOptions): Promise<wire.WatchTokenReply> {
    return this.#send({ method: 'POST', path: this.transport.path('watchToken'), body: {}, sid: true, repeat: 'keyed' }, { token: 'text', url: 'text' }, options)
  }

  /** Lists the valid tokens of the calling main node, the oldest first. */
  async watchTokens(options?: CallOptions): Promise<wire.WatchTokensReply> {
    return this.#send({ method: 'GET', path: this.transport.path('watchToken'), repeat: 'read' }, { tokens: 'list' }, options)
  }

  /** Revokes a watch token, with the cookies that were created from it; `ok` is false if there is none with that id. */
  async revokeWatchToken(id: string, options?: CallOptions): Promise<wire.OkReply> {
    return this.#send({ method: 'DELETE', path: this.transport.path('watchToken'), query: { [queries.id]: id }, sid: true, repeat: 'keyed' }, {}, options)
  }

  /** Checks whether a node exists and is derived from a root key. A negative answer is a reply, not an error. */
  async validate(request: wire.ValidateRequest, options?: CallOptions): Promise<wire.ValidateReply> {
    const call: Call = { method: 'POST', path: paths.validateNode, body: requestOf('validateNode', request), repeat: 'same', keyless: true, accept: 400 }
    const reply: Reply = await this.transport.do(call, options?.signal)
    const verdict = typed<wire.ValidateReply & { readonly error?: string; readonly code?: string }>(call, reply, {})
    // The other kind of 400: the request was wrong.
    if (reply.status === 400 && !verdict.reason) {
      const message = this.transport.who.scrub(verdict.error ?? 'the host refused the request')
      throw new PlayError({ status: 400, code: verdict.code ?? 'body_invalid', message })
    }
    return verdict
  }

  #read<O extends wire.Op>(op: O, payload: wire.OperationTypes[O]['request'], minRev = 0): Call {
    const call: Call = { method: 'POST', path: this.transport.path('rpc'), body: payloadOf(op, payload), repeat: 'read', limit: largeReply, world: true }
    return minRev === 0 ? call : { ...call, minRev }
  }

  #write(route: keyof typeof servicePaths, body: object, repeat: 'same' | 'keyed'): Call {
    return { method: 'POST', path: this.transport.path(route), body, sid: true, repeat }
  }

  async #post<T>(route: keyof typeof servicePaths, body: object, repeat: 'same' | 'keyed', needs: Needs, options?: CallOptions): Promise<T> {
    return this.#send(this.#write(route, body, repeat), needs, options)
  }

  /** Calls an operation. A write is retried with its idempotency key. */
  async #op<O extends wire.Op>(op: O, payload: wire.OperationTypes[O]['request'], needs: Needs, options?: CallOptions): Promise<wire.OperationTypes[O]['reply']> {
    return this.#send(operations[op].writes ? this.#write('rpc', payloadOf(op, payload), 'keyed') : this.#read(op, payload), needs, options)
  }

  async #send<T>(call: Call, needs: Needs, options?: CallOptions): Promise<T> {
    return typed<T>(call, await this.transport.do(call, options?.signal), needs)
  }
}

/** Returns the body of an operation. */
function payloadOf(op: wire.Op, payload: object): object {
  return { op, payload: requestOf(op, payload) }
}

/** Creates a client. It throws an `OptionError` for invalid options, and does not connect. */
export function createClient(options: ClientOptions): WorldClient {
  checkOptions('createClient', options, clientOptions)
  return new WorldClient(options)
}
