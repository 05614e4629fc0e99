import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client as NewClient, InMemoryTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { McpServer as NewServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { fromMcp, mcpTools, placeMcp } from '@playctl/sdk/mcp'
import { book, search } from './adapter.mjs'
import { startHost } from './host.mjs'
import { askWhole, closeWhileAsked, golden, observed } from './observed.mjs'

/** The two lines of the official client, each with a server, the transport that connects them, and the schemas that servers of all its versions accept. */
const lines = {
  1: { make: () => new Client({ name: 'test', version: '1' }), serve: () => new McpServer({ name: 'seats', version: '1' }), pair: () => InMemoryTransport.createLinkedPair(), z: z3, object: (shape) => shape },
  2: { make: () => new NewClient({ name: 'test', version: '1' }), serve: () => new NewServer({ name: 'seats', version: '1' }), pair: () => NewTransport.createLinkedPair(), z, object: (shape) => z.object(shape) },
}

const text = (said) => ({ content: [{ type: 'text', text: said }] })

/** A restaurant's server, and the client connected to it. */
async function connected({ make, serve, pair, z, object }) {
  const server = serve()
  let begins, ended
  /** Resolves once the tool wait runs, and once the server learns that nobody waits for it. */
  const waiting = new Promise((resolve) => { begins = resolve })
  const over = new Promise((resolve) => { ended = resolve })
  server.registerTool('search', {
    description: 'Finds free seats', inputSchema: object({ day: z.enum(['friday', 'saturday']), note: z.string().optional() }), outputSchema: object({ free: z.number() }),
  }, (args) => ({ ...text(`${search(args).free} seats`), structuredContent: search(args) }))
  server.registerTool('book', { description: 'Books a table', inputSchema: object({ people: z.number().int(), day: z.string() }) }, (args) => text(book(args)))
  server.registerTool('wait', { title: 'Waits', inputSchema: object({}) }, async (_args, extra) => {
    const { signal, _meta: meta } = extra.mcpReq ?? extra
    const notify = extra.mcpReq?.notify ?? extra.sendNotification
    await notify({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: 1, message: 'It waits.' } })
    begins()
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        ended(signal.reason)
        resolve(text('ended'))
      })
    })
  })
  const [here, there] = pair()
  const client = make()
  await Promise.all([server.connect(there), client.connect(here)])
  return { client, server, waiting, over }
}

for (const [line, parts] of Object.entries(lines)) {
  describe(`the tools of an MCP client of version ${line}`, () => {
    let host, proved
    before(async () => {
      host = await startHost()
      proved = await host.record()
    })
    after(async () => { await host.end() })

    it('are on the map with their forms, and their calls are recorded', async (test) => {
      const world = host.world()
      const { client } = await connected(parts)
      test.after(async () => { await Promise.all([world.close(), client.close()]) })
      const ada = await world.agent('Ada', await fromMcp(client))
      const call = async (name, args) => world.ask({ to: ada.id, tool: `assist_${name}`, args })
      const { message, result } = await call('search', { day: 'saturday' })
      assert.deepEqual([message, result.free], ['4 seats', 4])
      await assert.rejects(call('book', { day: 'friday', people: 4 }), /no 4 seats on friday/u)
      assert.equal((await call('book', { day: 'saturday', people: 4 })).message, 'booked 4 on saturday')
      await assert.rejects(call('search', { day: 'monday' }), /do not match the tool's parameters: day: /u)
      await ada.say('Saturday is booked.')
      golden(`mcp-${line}`, await observed(world, ada))
    })

    it('stream their progress, and end when no client waits', async (test) => {
      const world = host.world()
      const { client, waiting, over } = await connected(parts)
      test.after(async () => client.close())
      const bo = await world.agent('Bo', { tools: await mcpTools(client), onError: () => undefined })
      let said
      const streamed = new Promise((resolve) => { said = resolve })
      const question = { tool: 'assist_wait', onPartial: (part) => { if (part.status === 'stream') said(part.message) } }
      await closeWhileAsked({ host, world, agent: bo, question, waiting: Promise.all([waiting, streamed]), over })
      assert.equal(await streamed, 'It waits.\n')
    })

    it('report failures in detail to the developer and neutrally to the asker', async (test) => {
      const world = host.world()
      const { client } = await connected(parts)
      test.after(async () => world.close())
      const errors = []
      const cy = await world.agent('Cy', await fromMcp(client, { onError: (error) => { errors.push(error.message) } }))
      await client.close()
      await assert.rejects(world.ask({ to: cy.id, tool: 'assist_search', args: { day: 'friday' } }), (error) => !/connected/iu.test(error.message))
      assert.match(errors.join(), /connected/iu)
    })

    it('change on the map when the server notifies the client', async (test) => {
      const world = host.world()
      const { client, server } = await connected(parts)
      test.after(async () => { await Promise.all([world.close(), client.close()]) })
      const di = await world.agent('Di', await fromMcp(client))
      const shown = async (wanted) => {
        const names = async () => (await world.getWorldSnapshot()).worldMap.occupants.find((row) => row.agentId === di.id).toolNames.join()
        for await (const { data } of world.events({ kinds: ['world:player_added'], after: 0 })) if (data.player.agentId === di.id && await names() === wanted) break
      }
      const close = server.registerTool('close', { description: 'Closes', inputSchema: parts.object({}) }, () => text('closed'))
      await shown('chat_tool,assist_search,assist_book,assist_wait,assist_close')
      assert.equal((await world.ask({ to: di.id, tool: 'assist_close', args: {} })).message, 'closed')
      close.remove()
      await shown('chat_tool,assist_search,assist_book,assist_wait')
      await assert.rejects(world.ask({ to: di.id, tool: 'assist_close', args: {} }), /did not register this tool/u)
    })

    it('are on the map as a placement while the client is connected', async (test) => {
      const world = host.world()
      const { client, server } = await connected(parts)
      test.after(async () => world.close())
      const placements = async () => (await world.getWorldSnapshot()).worldMap.occupants.flatMap((row) => (row.kind === 'mcp' ? [[row.name, row.url]] : []))
      const { close } = await placeMcp(world, client, { name: 'closed' })
      const { id } = await placeMcp(world, client, { url: 'https://mcp.example.com/' })
      assert.deepEqual((await placements()).map(([name]) => name).sort(), ['closed', 'seats'])
      await close()
      assert.deepEqual(await placements(), [['seats', 'https://mcp.example.com/']])
      await server.close()
      for await (const { data } of world.events({ kinds: ['world:mcp_unregistered'], after: 0 })) if (data.id === id) break
      assert.deepEqual(await placements(), [])
    })

    it('produce a recording that replays and verifies', async () => {
      const { ok, events, proved: equal } = await proved()
      assert.ok(ok)
      assert.equal(equal, events)
    })
  })
}

it('chat if the program defines how', async (test) => {
  const host = await startHost()
  const world = host.world()
  const { client } = await connected(lines[1])
  test.after(async () => {
    await Promise.all([world.close(), client.close()])
    await host.end()
  })
  const di = await world.agent('Di', await fromMcp(client, { chat: async function* ({ text: said }) { yield 'You said: '; yield said } }))
  const { answer, streamed } = await askWhole(world, { to: di.id, text: 'hello' })
  assert.equal(streamed, 'You said: hello')
  assert.equal(answer.message, streamed)
})
