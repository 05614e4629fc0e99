// Protocol, "Requests, errors and limits": what the operator lets one account, and all together, have.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { accounts } from './lib/host.mjs'
import { admin, agentOf, headOf, main, newKey, openWorld, register } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld(
  ...['--max-spaces', '2', '--max-total-spaces', '3', '--max-mcp', '2', '--max-total-mcp', '3'],
  ...['--max-requests', '2', '--max-total-requests', '3', '--max-agents', '2', '--max-total-agents', '3'],
  ...['--max-total-accounts', '2']
)
const other = await main(host, 3)
granted(await register(host, sid, agent))

// One account and then the world is full: the limit that was hit is named with its
// value, nothing changes, and what is given back can be had again.
async function checkLimit(code, make, remove) {
  const first = granted(await make(owner))
  granted(await make(owner))
  const before = await headOf(host)
  refused(await make(owner), 400, code, ' 2 ')
  assert.deepEqual(await headOf(host), before)
  granted(await make(other))
  refused(await make(other), 400, code, ' 3 ')
  granted(await remove(first))
  granted(await make(other))
}

test('the limit of spaces', () =>
  checkLimit(
    'space_limit',
    (as) => {
      const space = { name: 'Bare', designKey: 'plain', owner: { displayName: 'Ada' }, amenities: ['shop'] }
      return host.rpc('registerSpaceNode', space, { as, sid })
    },
    ({ space }) => host.rpc('removeSpace', { spaceId: space.id }, { as: owner, sid })
  ))

test('a space with a node counts for the limit of spaces', async () => {
  const space = { name: 'Corner', designKey: 'plain', ownerDisplayName: 'Ada' }
  refused(await host.rpc('createSpace', space, { as: owner, sid }), 400, 'space_limit')
})

test('the limit of MCP placements', () =>
  checkLimit(
    'mcp_limit',
    (as) => host.call('POST', '/mcp/register', { as, sid, body: { name: newKey() } }),
    ({ id }) => host.call('POST', '/mcp/unregister', { as: owner, sid, body: { id } })
  ))

test('the limit of open intercom requests, which answers close', async () => {
  const asked = []
  await checkLimit(
    'intercom_limit',
    (as) => {
      const request = {
        ...{ requestId: newKey(), mainNodeId: owner.nodeId, fromPlayerId: '__human__' },
        ...{ toPlayerId: agent.nodeId, kind: 'chat', text: 'hello?' }
      }
      asked.push(request)
      return host.rpc('intercomCommand', request, { as, sid })
    },
    () => {
      const { requestId, mainNodeId, fromPlayerId, toPlayerId, kind } = asked[0]
      const answer = {
        ...{ requestId, mainNodeId, toPlayerId: fromPlayerId, fromPlayerId: toPlayerId, kind },
        ...{ status: 'completed', ts: new Date().toISOString() }
      }
      return host.rpc('intercomResponse', answer, { as: agent, sid })
    }
  )
})

let second
test('the limits of agents and accounts', async () => {
  second = await agentOf(host, owner, 4)
  const more = (i, as) => {
    const { nodeId: agentNodeId, passwHash: agentNodePasswHash } = accounts[i]
    return host.call('POST', '/api/nodes/agent-node', { as, body: { agentNodeId, agentNodePasswHash } })
  }
  refused(await more(5, owner), 400, 'agent_limit')
  granted(await more(5, other))
  refused(await more(6, other), 400, 'agent_limit')
  const { nodeId, passwHash } = accounts[6]
  refused(await host.call('POST', '/api/nodes', { body: { nodeId, passwHash } }), 400, 'account_limit')
})

test('the administrator lists the usage of accounts and sets a limit for one account', async () => {
  const record = async () => {
    const { mainNodes } = granted(await host.call('GET', '/api/nodes', { as: admin, query: { all: true, usage: true } }))
    return mainNodes.find(({ nodeId }) => nodeId === owner.nodeId)
  }
  const { usage, limits } = await record()
  assert.deepEqual([usage.agents, usage.spaces, usage.mcp, usage.requests], [2, 1, 1, 1])
  assert.ok(usage.bytes > 0)
  assert.ok(usage.mapBytes > 0)
  assert.equal(limits, undefined)
  const limit = (limits, as = admin) =>
    host.call('POST', '/api/nodes/limits', { as, body: { nodeId: owner.nodeId, limits } })
  const place = () => host.call('POST', '/mcp/register', { as: owner, sid, body: { name: newKey() } })
  refused(await limit({ mcp: 1 }, owner), 403, 'forbidden')
  assert.deepEqual(granted(await limit({ mcp: 1 })).limits, { mcp: 1 })
  refused(await place(), 400, 'mcp_limit', ' 1 ')
  await host.kill()
  await host.start()
  refused(await place(), 400, 'mcp_limit', ' 1 ')
  assert.deepEqual((await record()).limits, { mcp: 1 })
  granted(await limit({ mcp: 0 }))
  refused(await place(), 400, 'mcp_limit', ' 3 ')
})

test('one account may have its own limits of agent names, occupants and write rate', async () => {
  const record = async (more) => {
    const query = { all: true, usage: true, ...more }
    const { mainNodes } = granted(await host.call('GET', '/api/nodes', { as: admin, query }))
    return mainNodes.find(({ nodeId }) => nodeId === owner.nodeId)
  }
  const limit = async (limits) => {
    const body = { nodeId: owner.nodeId, limits }
    assert.deepEqual(granted(await host.call('POST', '/api/nodes/limits', { as: admin, body })).limits, limits)
  }
  const tools = (letter) => {
    const toolNames = ['chat_tool', ...Array.from({ length: 10 }, (_, i) => `tool_${i}_${letter.repeat(100)}`)]
    return register(host, sid, agent, { agent: { type: 'langchain', toolNames } })
  }
  await limit({ agentBytes: 1000 })
  const has = (await record({ agentBytes: true })).usage.agentBytes
  assert.ok(has > 0)
  // Who does not ask for it gets the reply that there was before.
  assert.equal((await record()).usage.agentBytes, undefined)
  refused(await tools('a'), 400, 'storage_limit', ' 1000 bytes of agents')
  await host.kill()
  await host.start()
  refused(await tools('a'), 400, 'storage_limit', ' 1000 bytes of agents')
  await limit({ agentBytes: 10000 })
  granted(await tools('a'))
  assert.ok((await record({ agentBytes: true })).usage.agentBytes > has + 1000)

  await limit({ occupants: 1 })
  refused(await register(host, sid, second), 400, 'occupant_limit', ' 1 ')
  await limit({ occupants: 3 })
  granted(await register(host, sid, second))

  await limit({ rateHistory: 1 })
  granted(await tools('b'))
  refused(await tools('c'), 429, 'rate_limited', ' 1 bytes a second')
  await limit({ rateHistory: 0 })
  granted(await tools('c'))
  await limit({})
})
