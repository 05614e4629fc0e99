// A program in the shape of those for @agent-play/sdk, with real agents of LangChain.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { RemotePlayWorld, langchainRegistration } from '@playctl/sdk/agent-play'
import { createClient, createNodeCredentialMaterial } from '@playctl/sdk'
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
