// The tools of an MCP server as those of an agent. It needs no model: people call the tools.
import { once } from 'node:events'
import path from 'node:path'
import process from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { connect } from '@playctl/sdk'
import { fromMcp } from '@playctl/sdk/mcp'

const client = new Client({ name: 'agent', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [path.join(import.meta.dirname, 'server.mjs')] }))

const world = await connect()
await world.agent('Tables', await fromMcp(client))

console.log('Tables is on the map: Ctrl-C removes it')
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)))
await world.close()
await client.close()
