// Protocol, "Requests, errors and limits": the order in which a host checks. Every request here has several
// faults at once, and one less each time: the first one left is answered.

import { test } from 'node:test'
import { refused } from './lib/client.mjs'
import { accounts } from './lib/host.mjs'
import { admin, agentOf, main, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const other = await main(host, 2)
const foreign = await agentOf(host, other, 3)
await register(host, sid, foreign)

const badJSON = '{"a":1,"a":2}'
const big = ' '.repeat(1 << 20) + '{}'
const plain = { 'content-type': 'text/plain' }

test('404 and 405 come before all other checks', async () => {
  const faults = { raw: badJSON, headers: plain }
  refused(await host.call('POST', '/api/play/nowhere', faults), 404, 'not_found')
  refused(await host.call('GET', '/api/nowhere'), 404, 'not_found')
  for (const [method, path] of [
    ['PUT', '/players'],
    ['POST', '/snapshot'],
    ['POST', '/session'],
    ['DELETE', '/events'],
    ['PUT', '/api/nodes'],
    ['PATCH', '/api/agents'],
    ['DELETE', '/sdk/rpc'],
    ['PUT', '/api/nodes/validate']
  ]) {
    refused(await host.call(method, path, faults), 405, 'method_not_allowed')
  }
})

// Routes with a sid: what they need, and the last faults of each.
const routes = [
  [
    '/players',
    {
      wrongBody: { name: 1 },
      wrongOwner: { name: 'n', type: 't', agent: { type: 't', toolNames: ['chat_tool'] }, agentId: foreign.nodeId },
      keyed: true
    }
  ],
  ['/players/heartbeat', { wrongBody: { playerId: 1 }, wrongOwner: { playerId: foreign.nodeId, connectionId: 'c' } }],
  ['/players/disconnect', { wrongBody: { playerId: 1 }, wrongOwner: { playerId: foreign.nodeId } }],
  ['/mcp/register', { wrongBody: { name: 1 }, wrongKind: { name: 'n' }, keyed: true }],
  ['/mcp/unregister', { wrongBody: { id: 1 }, wrongKind: { id: 'n' } }],
  [
    '/occupants/remove',
    { wrongBody: { stableKey: 1 }, wrongKind: { stableKey: `agent:${other.nodeId}:${foreign.nodeId}` } }
  ]
]

for (const [path, { wrongBody, wrongOwner, wrongKind, keyed }] of routes) {
  test(`the order of checks on ${path}`, async () => {
    const post = (options) => host.call('POST', path, { key: 'wrong', ...options })
    refused(await post({ raw: big, headers: plain }), 415, 'media_type')
    refused(await post({ raw: big }), 413, 'body_too_large')
    refused(await post({ raw: badJSON }), 401, 'credentials_missing')
    refused(await post({ raw: badJSON, as: accounts[5] }), 401, 'credentials_invalid')
    refused(await post({ raw: badJSON, as: agent }), 400, 'sid_missing')
    refused(await post({ raw: badJSON, as: agent, sid: 'x' }), 403, 'sid_invalid')
    refused(await post({ raw: badJSON, as: agent, sid }), 400, 'json_invalid')
    const caller = path === '/occupants/remove' ? admin : path.startsWith('/mcp') ? owner : agent
    if (keyed) refused(await post({ body: wrongBody, as: caller, sid }), 401, 'api_key_invalid')
    refused(await post({ body: wrongBody, as: caller, sid, key: undefined }), 400, 'body_invalid')
    if (wrongOwner) refused(await post({ body: wrongOwner, as: agent, sid, key: undefined }), 403, 'forbidden')
    if (wrongKind) refused(await post({ body: wrongKind, as: agent, sid, key: undefined }), 403, 'forbidden')
  })
}

test('a body is checked before the caller is found to be of the wrong kind', async () => {
  refused(await host.call('POST', '/mcp/register', { as: agent, sid, body: { name: 1 } }), 400, 'body_invalid')
  refused(await host.call('POST', '/occupants/remove', { as: owner, sid, body: { stableKey: 1 } }), 400, 'body_invalid')
  refused(
    await host.call('POST', '/api/nodes/agent-node', { as: agent, body: { agentNodeId: 1 } }),
    400,
    'body_invalid'
  )
})

test('the order of checks on reads with a sid', async () => {
  for (const path of ['/snapshot', '/events']) {
    refused(await host.call('GET', path), 401, 'credentials_missing')
    refused(await host.call('GET', path, { as: owner }), 400, 'sid_missing')
    refused(await host.call('GET', path, { as: owner, sid: crypto.randomUUID() }), 403, 'sid_invalid')
    refused(await host.call('GET', path, { as: accounts[5], sid: 'x' }), 401, 'credentials_invalid')
  }
})

test('rpc: JSON and op come before the sid', async () => {
  const post = (options) => host.call('POST', '/sdk/rpc', options)
  const lines = { playerId: foreign.nodeId, role: 'user', text: 'hi' }
  refused(await post({ raw: big, headers: plain }), 415, 'media_type')
  refused(await post({ raw: big }), 413, 'body_too_large')
  refused(await post({ raw: badJSON }), 401, 'credentials_missing')
  refused(await post({ raw: badJSON, as: agent }), 400, 'json_invalid')
  refused(await post({ body: { op: 'fly', payload: {} }, as: agent }), 400, 'op_unknown')
  refused(
    await post({ body: { op: 'recordInteraction', payload: { ...lines, role: 'x' } }, as: agent }),
    400,
    'sid_missing'
  )
  refused(
    await post({ body: { op: 'recordInteraction', payload: { ...lines, role: 'x' } }, as: agent, sid: 'x' }),
    403,
    'sid_invalid'
  )
  refused(
    await post({ body: { op: 'recordInteraction', payload: { ...lines, role: 'x' } }, as: agent, sid }),
    400,
    'body_invalid',
    'role'
  )
  refused(await post({ body: { op: 'recordInteraction', payload: lines }, as: agent, sid }), 403, 'forbidden')
  refused(
    await post({ body: { op: 'getPlayerChainNode', payload: {} }, as: agent, sid: 'ignored' }),
    400,
    'body_invalid',
    'stableKey'
  )
})

test('an op is written exactly as the protocol spells it', async () => {
  for (const op of ['GetWorldSnapshot', 'getworldsnapshot', ' getWorldSnapshot', '', 'toString', '__proto__']) {
    refused(await host.call('POST', '/sdk/rpc', { as: agent, body: { op, payload: {} } }), 400, 'op_unknown')
  }
})

test('node creation: JSON first, then the caller', async () => {
  const post = (options) => host.call('POST', '/api/nodes', options)
  refused(await post({ raw: big, headers: plain }), 415, 'media_type')
  refused(await post({ raw: big }), 413, 'body_too_large')
  refused(await post({ raw: badJSON, as: accounts[5] }), 400, 'json_invalid')
  refused(await post({ body: { kind: 'main' } }), 400, 'body_invalid')
  refused(await post({ body: { kind: 'space' } }), 401, 'credentials_missing')
  refused(await post({ body: { kind: 'space' }, as: accounts[5] }), 401, 'credentials_invalid')
})

test('the order of checks on routes of nodes, which need no sid', async () => {
  for (const [method, path, wrong] of [
    ['DELETE', '/api/nodes', { confirmNodeId: 1 }],
    ['POST', '/api/nodes/agent-node', { agentNodeId: 1 }],
    ['POST', '/api/nodes/validate', { nodeId: 1 }]
  ]) {
    refused(await host.call(method, path, { raw: badJSON, headers: plain }), 415, 'media_type')
    refused(await host.call(method, path, { raw: big }), 413, 'body_too_large')
    refused(await host.call(method, path, { raw: badJSON }), 401, 'credentials_missing')
    refused(await host.call(method, path, { raw: badJSON, as: accounts[5] }), 401, 'credentials_invalid')
    refused(await host.call(method, path, { raw: badJSON, as: owner }), 400, 'json_invalid')
    refused(await host.call(method, path, { body: wrong, as: owner }), 400, 'body_invalid')
  }
})
