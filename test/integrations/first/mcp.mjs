import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const transport = new StdioClientTransport({
  command: 'node',
  args: ['server.mjs'],
})

const client = new Client({
  name: 'example-client',
  version: '1.0.0',
})

await client.connect(transport)

const tools = await client.listTools()
console.log(tools.tools.length)
