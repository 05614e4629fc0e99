import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentProgram } from '../src/index.js'
import { type McpClient, type McpTool, fromMcp, placeMcp } from '../src/mcp/index.js'
import { FakeHost, turns } from './fake.js'

const credentials = { nodeId: 'a'.repeat(64), passwHash: 'b'.repeat(64) }

/** Returns a client of an MCP server with some tools and no connection. */
function mcpClient(tools: readonly McpTool[] = []): McpClient {
  return {
    listTools: async () => Promise.resolve({ tools }), callTool: async () => Promise.resolve({}), getServerVersion: () => ({ name: 'tools' }),
    onclose: undefined, fallbackNotificationHandler: undefined,
  }
}

describe('the follow function of an agent program', () => {
  for (const [when, end] of [
    ['the world is closed', async (world) => world.close()],
    ['its node is deleted', async (world, id) => world.deleteAgentNode(id)],
  ] as readonly [string, (world: ReturnType<FakeHost['world']>, id: string) => Promise<unknown>][]) {
    it(`is ended when ${when}, even if its end function fails`, async () => {
      await using world = new FakeHost().world()
      let ended = 0
      const errors: string[] = []
      const follow: AgentProgram['follow'] = () => () => {
        ended++
        throw new Error('no end')
      }
      const ada = await world.agent('Ada', { credentials, follow, onError: ({ message }) => { errors.push(message) } })
      await end(world, ada.id)
      assert.deepEqual([ended, errors], [1, ['no end']])
    })
  }

  it('of an MCP server restores the handlers of its client', async () => {
    const client = mcpClient()
    await using world = new FakeHost().world()
    for (let turn = 0; turn < 2; turn++) {
      const agent = await world.agent('Ada', { ...await fromMcp(client), credentials })
      assert.notEqual(client.fallbackNotificationHandler, undefined)
      await agent.disconnect()
      assert.equal(client.fallbackNotificationHandler, undefined)
    }
  })
})

describe('the placement of an MCP server', () => {
  it('restores the handlers of its client when it is closed', async () => {
    const client = mcpClient()
    const world = { registerMcp: async () => Promise.resolve('row'), unregisterMcp: async () => Promise.resolve(true) }
    let gone = 0
    const before = () => { gone++ }
    client.onclose = before
    const placement = await placeMcp(world, client)
    await placement.close()
    assert.equal(client.onclose, before)
    await placeMcp(world, client)
    client.onclose()
    await turns()
    assert.equal(client.onclose, before)
    assert.equal(gone, 1)
  })

  it('is removed by the next close call if the first one failed', async () => {
    let calls = 0
    const world = {
      registerMcp: async () => Promise.resolve('row'),
      unregisterMcp: async () => (++calls === 1 ? Promise.reject(new Error('away')) : Promise.resolve(true)),
    }
    const placement = await placeMcp(world, mcpClient())
    await assert.rejects(placement.close(), /away/u)
    await placement.close()
    await placement.close()
    assert.equal(calls, 2)
  })
})
