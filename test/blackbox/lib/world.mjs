// What most tests start from: a host, its session, and accounts on it.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { granted, keepSecret } from './client.mjs'
import { accounts, adminToken, copyHost } from './host.mjs'
import { is } from './rows.mjs'

export const admin = { token: adminToken }

for (const { passwHash } of accounts) keepSecret(passwHash)
keepSecret(adminToken)

// main makes account number `i` of the known answers a main node.
export async function main(host, i = 0) {
  const reply = await host.call('POST', '/api/nodes', { body: { kind: 'main', ...accounts[i] }, reveals: true })
  const { apiKey } = granted(reply, { nodeId: (v) => v === accounts[i].nodeId, apiKey: is.named })
  keepSecret(apiKey)
  return { ...accounts[i], apiKey }
}

// agentOf makes account number `i` an agent node of a main node. An agent
// shows its owner's API key.
export async function agentOf(host, owner, i) {
  const { nodeId, passwHash } = accounts[i]
  const body = { kind: 'agent', parentNodeId: owner.nodeId, agentNodeId: nodeId, agentNodePasswHash: passwHash }
  granted(await host.call('POST', '/api/nodes/agent-node', { as: owner, body }), { agentId: (v) => v === nodeId })
  return { nodeId, passwHash, apiKey: owner.apiKey }
}

export async function sidOf(host, as) {
  return granted(await host.call('GET', '/session', { as })).sid
}

// registration is the smallest body of a registration, with changes.
export function registration(agent, changes = {}) {
  const { toolNames = ['chat_tool'], ...rest } = changes
  return { name: 'Ada', type: 'langchain', agent: { type: 'langchain', toolNames }, agentId: agent.nodeId, ...rest }
}

export function register(host, sid, agent, changes, options) {
  const nullable = ['connectionId', 'leaseTtlSeconds']
  return host.call('POST', '/players', { as: agent, sid, body: registration(agent, changes), nullable, ...options })
}

export async function snapshotOf(host, as) {
  return granted(await host.rpc('getWorldSnapshot', {}, { as })).snapshot
}

// headOf is where the world is: what any of its hosts has acknowledged counts.
export async function headOf(host) {
  const heads = await Promise.all(host.servers.map((to) => host.call('GET', '/session', { as: admin, to })))
  const highest = (field) => Math.max(...heads.map((reply) => granted(reply)[field]))
  return { rev: highest('rev'), seq: highest('seq') }
}

// newWorld makes a world with one main node and one agent node.
export async function newWorld(host) {
  const owner = await main(host, 0)
  const agent = await agentOf(host, owner, 1)
  return { host, owner, agent, sid: await sidOf(host, owner) }
}

// openWorld serves a world with one main node and one agent node: a copy of the one
// that run.sh had made once, since a node id takes long to derive.
export async function openWorld(...args) {
  const made = process.env.BLACKBOX_WORLD
  if (!made) throw new Error('BLACKBOX_WORLD is not set: start the tests with ./run.sh')
  const { owner, agent } = JSON.parse(readFileSync(join(made, 'accounts.json')))
  keepSecret(owner.apiKey)
  const host = await copyHost(join(made, 'data'), ...args)
  return { host, owner, agent, sid: await sidOf(host, owner) }
}

export const newKey = () => randomUUID()
