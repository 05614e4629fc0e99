// A subscriber (protocol, "A live, verified copy"): its own copy of the world, merged from what the
// chain's routes hand out, and its own root after every event.

import assert from 'node:assert/strict'
import { granted } from './client.mjs'
import { byBytes, chainOf, occupantKey, spaceKey } from './chain.mjs'
import { mcpServersOf, readRow, readSnapshot, readSpace } from './rows.mjs'
import { rootKey } from './host.mjs'
import { openStream } from './stream.mjs'

const without = (list, key, stableKey) => list.filter((item) => key(item) !== stableKey)

const inOrder = (list, key) => list.sort((a, b) => byBytes(key(a), key(b)))

// merge gives the snapshot that follows when one node has changed.
export function merge(snapshot, node) {
  const { worldMap, spaces = [] } = snapshot
  if (node.kind === 'genesis') return snapshot
  if (node.kind === 'header') return { ...snapshot, sid: node.sid, worldMap: { ...worldMap, bounds: node.bounds } }
  assert.equal(typeof node.removed, 'boolean', 'a node of a row has no field "removed"')
  if (node.kind === 'space') {
    const kept = without(spaces, spaceKey, node.removed ? node.stableKey : spaceKey(node.space))
    return { ...snapshot, spaces: inOrder(node.removed ? kept : [...kept, node.space], spaceKey) }
  }
  assert.ok(node.removed || node.occupant.kind !== 'agent' || node.occupant.nodeId, 'an agent row without its node')
  const kept = without(worldMap.occupants, occupantKey, node.removed ? node.stableKey : occupantKey(node.occupant))
  const occupants = inOrder(node.removed ? kept : [...kept, node.occupant], occupantKey)
  return { ...snapshot, worldMap: { ...worldMap, occupants }, mcpServers: mcpServersOf(occupants) }
}

// fetchOrder is the order in which the nodes of a notify are read one by one.
export function fetchOrder(refs) {
  const removals = refs.filter((ref) => ref.removed).sort((a, b) => b.leafIndex - a.leafIndex)
  const updates = refs.filter((ref) => !ref.removed).sort((a, b) => a.leafIndex - b.leafIndex)
  return [...removals, ...updates]
}

function readNode(node, stableKey) {
  assert.equal(node.stableKey, stableKey, 'the host returned the node of another key')
  if (node.kind === 'occupant' && !node.removed) assert.equal(occupantKey(readRow(node.occupant)), stableKey)
  if (node.kind === 'space' && !node.removed) assert.equal(spaceKey(readSpace(node.space)), stableKey)
  return node
}

// The ways to come by the nodes of an event.
const sources = {
  inline: async (subscriber, { playerChainNotify, playerChainNodes }) => {
    const keys = playerChainNotify.nodes.map((ref) => ref.stableKey)
    assert.deepEqual(
      playerChainNodes.map((node) => node.stableKey),
      keys
    )
    return playerChainNodes
  },
  batch: async (subscriber, { rev, playerChainNotify }) => {
    const stableKeys = fetchOrder(playerChainNotify.nodes).map((ref) => ref.stableKey)
    const { nodes, ...at } = await subscriber.read('getPlayerChainNodes', { stableKeys, atRev: rev }, rev)
    subscriber.saw(at.rev)
    return nodes.map((node, i) => readNode(node, stableKeys[i]))
  },
  oneByOne: (subscriber, { rev, playerChainNotify }) => subscriber.walk(playerChainNotify.nodes, { atRev: rev }, rev),
  // What a client does that knows none of the extensions.
  plain: (subscriber, { playerChainNotify }) => subscriber.walk(playerChainNotify.nodes, {})
}

export class Subscriber {
  verified = 0
  catchingUp = 0

  constructor(host, as, source) {
    Object.assign(this, { host, as, source, seen: 0 })
  }

  async open(sid, options = {}) {
    const query = this.source === 'inline' ? { inline: 1 } : {}
    this.stream = await openStream(this.host, { as: this.as, sid, query, ...options })
    assert.equal(this.stream.status, 200)
    await this.readAll(await this.stream.cursor())
    return this
  }

  // readAll reads the whole snapshot, again where it is older than the stream.
  async readAll(cursor) {
    do this.snapshot = (await this.read('getWorldSnapshot', {})).snapshot
    while (this.snapshot.seq < cursor)
    readSnapshot(this.snapshot)
    this.saw(this.snapshot.rev)
    const { merkleRootHex, merkleLeafCount } = this.snapshot
    assert.deepEqual(chainOf(this.snapshot, rootKey), { merkleRootHex, merkleLeafCount }, 'a full read is not verified')
  }

  async read(op, payload, minRev) {
    const headers = minRev === undefined ? {} : { 'x-play-min-rev': String(minRev) }
    return granted(await this.host.rpc(op, payload, { as: this.as, headers }))
  }

  saw(rev) {
    this.seen = Math.max(this.seen, rev)
  }

  async walk(refs, payload, minRev) {
    const nodes = []
    for (const { stableKey } of fetchOrder(refs)) {
      const { node, rev } = await this.read('getPlayerChainNode', { stableKey, ...payload }, minRev)
      this.saw(rev)
      nodes.push(readNode(node, stableKey))
    }
    return nodes
  }

  // step applies one event, and verifies the copy where it can be verified.
  async step(event) {
    const { rev, merkleRootHex, merkleLeafCount, playerChainNotify } = event.data
    if (rev > this.snapshot.rev && playerChainNotify) {
      const nodes = await sources[this.source](this, event.data)
      this.snapshot = { ...nodes.reduce(merge, this.snapshot), rev }
    }
    if (rev < this.seen) {
      this.catchingUp++
      return event
    }
    assert.deepEqual(
      chainOf(this.snapshot, rootKey),
      { merkleRootHex, merkleLeafCount },
      `after ${event.event} of rev ${rev} the copy does not verify`
    )
    this.verified++
    return event
  }

  // follow steps through the stream up to and with an event that fits.
  async follow(test) {
    for (;;) {
      const event = await this.step(await this.stream.next())
      if (test(event)) return event
    }
  }

  close() {
    this.stream.close()
  }
}
