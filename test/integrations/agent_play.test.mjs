// A program in the shape of those for @agent-play/sdk, with real agents of LangChain.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { RemotePlayWorld, langchainRegistration } from '@playctl/sdk/agent-play'
import { createClient, createNodeCredentialMaterial, frameworkRegistration } from '@playctl/sdk'
import { startHost } from './host.mjs'
import { agent } from './script_langchain_agent.mjs'

let host
before(async () => { host = await startHost('--compat', 'agent-play') })
after(async () => { await host.end() })

it('answers texts with its agents and tool calls with its function', async () => {
  const tools = [
    tool(({ message }) => message, { name: 'chat_tool', description: 'Chats', schema: z.object({ message: z.string() }) }),
    tool(({ people }) => `A table for ${people}`, { name: 'assist_book', description: 'Books', schema: z.object({ people: z.number() }) }),
  ]
  const booking = agent([{ call: { name: 'assist_book', args: { people: 2 }, id: 'c1' } }, { words: ['Booked ', 'for two.'] }], tools)
  const { nodeId: mainNodeId, phrase } = host.node
  const { rootKey } = await createClient({ baseUrl: host.url }).bootstrap()
  const ada = createNodeCredentialMaterial({ rootKey })
  await createClient({ baseUrl: host.url, credentials: host.node, apiKey: host.apiKey }).createAgentNode(ada)

  let listening
  const open = new Promise((resolve) => { listening = resolve })
  const world = new RemotePlayWorld({
    baseUrl: host.url, nodeCredentials: { rootKey, passw: phrase },
    fetch: async (input, init) => {
      const reply = await fetch(input, init)
      if (new URL(input).pathname.endsWith('/events')) listening()
      return reply
    },
  })
  await world.connect({ mainNodeId })
  const player = await world.addAgent({ name: 'Ada', type: 'langchain', agent: langchainRegistration(booking), nodeId: ada.nodeId, enableP2a: 'on' })
  const { close } = world.subscribeIntercomCommands({
    playerIds: [player.id], chatAgentsByPlayerId: new Map([[player.id, booking]]), executeTool: ({ toolName, args }) => ({ toolName, people: args.people }),
  })
  await open
  const answer = await world.ask({ to: player.id, text: 'A table for two, please' })
  assert.deepEqual([answer.message, answer.result.message], ['Booked for two.', 'Booked for two.'])
  assert.deepEqual((await world.ask({ to: player.id, tool: 'assist_book', args: { people: 3 } })).result, { toolName: 'assist_book', people: 3, messageKind: 'text' })
  close()
  await world.close()
})

// The SDK of that service reads one node for each row that an event names, keeps the fields that it knows, and compares no roots.
const known = ({ agentId, name, x, y, nodeId, platform, enableP2a }) => ({ agentId, name, x, y, nodeId, platform, enableP2a })

it('serves activities to clients that do not know them', async () => {
  const client = createClient({ baseUrl: host.url, credentials: host.node, apiKey: host.apiKey })
  const { rootKey } = await client.bootstrap()
  const world = host.world()
  const add = async (name, options) => {
    const credentials = createNodeCredentialMaterial({ rootKey })
    await client.createAgentNode(credentials)
    return world.addAgent({ name, agent: frameworkRegistration('test', ['chat_tool']), credentials, ...options })
  }
  const parent = await add('Parent')
  const child = await add('Child', { parentId: parent.id, group: 'shop' })
  const { sid } = await client.session()
  const headers = { 'content-type': 'application/json', 'x-node-id': host.node.nodeId, 'x-node-passw': host.node.passwHash }
  const rpc = async (op, payload) => {
    const reply = await fetch(`${host.url}/api/agent-play/sdk/rpc?sid=${sid}`, { method: 'POST', headers, body: JSON.stringify({ op, payload }) })
    assert.equal(reply.status, 200)
    return reply.json()
  }
  const events = await fetch(`${host.url}/api/agent-play/events?sid=${sid}`, { headers })
  const rows = new Map((await rpc('getWorldSnapshot', {})).snapshot.worldMap.occupants.map((row) => [row.agentId, known(row)]))
  const states = ['working', 'waiting', 'idle', 'done', 'failed']
  for (const state of states) await rpc('recordActivity', { playerId: child.id, state, text: 'Editing', toolName: 'edit', usage: { costUsd: 0.1 } })
  const at = '2026-01-02T03:04:05.678Z'
  const step = { type: 'origin', content: 'q', messageId: 'm', startedAt: at, completedAt: at, error: 'failed', usage: { errors: 1 } }
  await rpc('recordJourney', { playerId: child.id, journey: { startedAt: at, completedAt: at, steps: [step] } })

  const merged = []
  for await (const { event, data } of framesOf(events.body)) {
    for (const { stableKey } of data.playerChainNotify?.nodes ?? []) {
      const { node } = await rpc('getPlayerChainNode', { stableKey })
      rows.set(node.occupant.agentId, known(node.occupant))
      merged.push(event)
    }
    if (event === 'world:journey') break
  }
  assert.deepEqual(merged, [...states.map(() => 'world:activity'), 'world:journey'])
  const { occupants } = (await rpc('getWorldSnapshot', {})).snapshot.worldMap
  assert.deepEqual([...rows.values()], occupants.map(known))
  assert.equal(occupants.find((row) => row.agentId === child.id).activity.state, 'failed')
  await world.close()
})

/** Yields the events of a stream. */
async function* framesOf(body) {
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const frames = (text + part).split('\n\n')
    text = frames.pop()
    for (const frame of frames) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/m.exec(frame) ?? []
      if (event) yield { event, data: JSON.parse(data) }
    }
  }
}
