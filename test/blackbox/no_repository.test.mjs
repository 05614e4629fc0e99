// Protocol, "Authentication and rights": a host without a repository, for play on one machine.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { accounts, rootKey, startHost } from './lib/host.mjs'
import { is, readSnapshot } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { registration, snapshotOf } from './lib/world.mjs'

const host = await startHost('--no-repository')
const { sid } = granted(await host.call('GET', '/session'))

const nullable = ['connectionId', 'leaseTtlSeconds']
const registerAgent = (agentId, changes, options) =>
  host.call('POST', '/players', { sid, nullable, body: registration({ nodeId: agentId }, changes), ...options })

test('anyone may read', async (t) => {
  readSnapshot(await snapshotOf(host))
  granted(await host.call('GET', '/snapshot', { sid }))
  const stream = await openStream(host, { sid })
  t.after(() => stream.close())
  assert.equal(stream.status, 200)
})

test('a row belongs to the main node of the body, else the node of the header, else the root', async () => {
  granted(await registerAgent('a', { mainNodeId: 'mine' }, { as: { nodeId: 'header', passwHash: 'any' } }))
  granted(await registerAgent('b', {}, { as: { nodeId: 'header', passwHash: 'any' } }))
  granted(await registerAgent('c'))
  const { occupants } = readSnapshot(await snapshotOf(host)).worldMap
  assert.deepEqual(Object.fromEntries(occupants.map((row) => [row.agentId, row.nodeId])), {
    a: 'mine',
    b: 'header',
    c: rootKey
  })
})

test('an agent id is 1 to 128 characters without white space, control character or colon', async () => {
  for (const id of ['d'.repeat(128), '\u{1F600}'.repeat(128)]) {
    granted(await registerAgent(id))
    granted(await host.call('POST', '/players/disconnect', { sid, body: { playerId: id } }))
  }
  for (const id of ['', 'd'.repeat(129), 'a b', 'a:b', 'a\u0000', 'a\u00a0b', 'a\u007f', 'a\u0085b'])
    refused(await registerAgent(id), 400, 'body_invalid', 'agentId')
})

test('agents chat, record journeys and leave', async () => {
  granted(await registerAgent('e', { connectionId: 'c' }))
  granted(await host.call('POST', '/players/heartbeat', { sid, body: { playerId: 'e', connectionId: 'c' } }))
  granted(await host.rpc('recordInteraction', { playerId: 'e', role: 'user', text: 'hi' }, { sid }))
  granted(
    await host.rpc(
      'recordJourney',
      {
        playerId: 'e',
        journey: {
          steps: [{ type: 'origin', content: 'c', messageId: 'm' }],
          startedAt: '2026-01-02T03:04:05.678Z',
          completedAt: '2026-01-02T03:04:05.678Z'
        }
      },
      { sid }
    )
  )
  granted(await host.call('POST', '/mcp/register', { sid, body: { name: 'm' } }), { id: is.named })
  granted(await host.call('POST', '/players/disconnect', { sid, body: { playerId: 'e' } }), { ok: (v) => v === true })
})

test('validate always succeeds, node creation is disabled', async () => {
  granted(await host.call('POST', '/api/nodes/validate', { body: { nodeId: 'x' } }), {
    ok: (v) => v === true,
    nodeKind: is.named
  })
  refused(await host.call('POST', '/api/nodes', { body: { kind: 'main', ...accounts[0] } }), 503, 'repository_off')
  const agentNode = { agentNodeId: accounts[1].nodeId, agentNodePasswHash: accounts[1].passwHash }
  refused(await host.call('POST', '/api/nodes/agent-node', { as: accounts[0], body: agentNode }), 503, 'repository_off')
})

test('the sid and the bodies are checked all the same', async () => {
  refused(await registerAgent('f', {}, { sid: undefined }), 400, 'sid_missing')
  refused(await registerAgent('f', {}, { sid: 'x' }), 403, 'sid_invalid')
  refused(await registerAgent('f', { toolNames: [] }), 400, 'chat_tool_missing')
})
