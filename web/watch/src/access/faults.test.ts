import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createClient, noRetry, type WorldClient } from '@playctl/sdk'
import { en } from '../text/en.js'
import { faultOf, type Fault } from './faults.js'

async function serving(answer: RequestListener): Promise<{ client: WorldClient, server: Server }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { client: createClient({ baseUrl: `http://127.0.0.1:${port}`, retry: noRetry, timeoutMs: 5000 }), server }
}

async function faultAt(client: WorldClient): Promise<Fault> {
  return client.session().then(() => assert.fail('the host grants it'), faultOf)
}

describe('what a host does not grant', () => {
  it('is said in words of the page, with its own beside them', async (test) => {
    const { client, server } = await serving((_, reply) => {
      reply.writeHead(400).end('{"error": "no tool assist_wave", "code": "tool_unknown", "requestId": "r"}')
    })
    test.after(() => server.close())
    assert.deepEqual(await faultAt(client), { message: en['fault.toolUnknown'], detail: 'no tool assist_wave' })
  })

  it('is said in its own words where the page has none', async (test) => {
    for (const kind of ['amenity_last', 'toString', '']) {
      const { client, server } = await serving((_, reply) => {
        reply.writeHead(400).end(JSON.stringify({ error: 'the last one stays', code: kind, requestId: 'r' }))
      })
      test.after(() => server.close())
      assert.deepEqual(await faultAt(client), { message: 'the last one stays', detail: '' })
    }
  })

  it('is said by the page where a proxy answers for it', async (test) => {
    const { client, server } = await serving((_, reply) => { reply.writeHead(502).end('<h1>Bad gateway</h1>') })
    test.after(() => server.close())
    assert.deepEqual(await faultAt(client), { message: 'The host answered with the status 502.', detail: '' })
  })

  it('is said by the page where nobody answers, not in the words of the browser', async () => {
    const { client, server } = await serving(() => undefined)
    server.close()
    await once(server, 'close')
    assert.deepEqual(await faultAt(client), { message: 'The host could not be reached.', detail: '' })
  })

  it('is said by the page where nothing comes in time', async (test) => {
    const { client, server } = await serving(() => undefined)
    test.after(() => { server.closeAllConnections(); server.close() })
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const fault = faultAt(client)
    test.mock.timers.tick(5000)
    assert.deepEqual(await fault, { message: en['fault.silent'], detail: '' })
  })
})
