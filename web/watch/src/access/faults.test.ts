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
  return client.session().then(() => assert.fail('the host granted the request'), faultOf)
}

describe('a refusal of a host', () => {
  it('is stated in words of the page, with the message of the host as detail', async (test) => {
    const { client, server } = await serving((_, reply) => {
      reply.writeHead(400).end('{"error": "no tool assist_wave", "code": "tool_unknown", "requestId": "r"}')
    })
    test.after(() => server.close())
    assert.deepEqual(await faultAt(client), { message: en['fault.toolUnknown'], detail: 'no tool assist_wave' })
  })

  it('is stated in the words of the host if the page has none', async (test) => {
    for (const kind of ['amenity_last', 'toString', '']) {
      const { client, server } = await serving((_, reply) => {
        reply.writeHead(400).end(JSON.stringify({ error: 'the last one stays', code: kind, requestId: 'r' }))
      })
      test.after(() => server.close())
      assert.deepEqual(await faultAt(client), { message: 'the last one stays', detail: '' })
    }
  })

  it('is stated by the page if a proxy answers instead of the host', async (test) => {
    const { client, server } = await serving((_, reply) => { reply.writeHead(502).end('<h1>Bad gateway</h1>') })
    test.after(() => server.close())
    assert.deepEqual(await faultAt(client), { message: 'The host answered with the status 502.', detail: '' })
  })

  it('is stated by the page, not the browser, if the host is unreachable', async () => {
    const { client, server } = await serving(() => undefined)
    server.close()
    await once(server, 'close')
    assert.deepEqual(await faultAt(client), { message: 'The host could not be reached.', detail: '' })
  })

  it('is stated by the page if no reply arrives in time', async (test) => {
    const { client, server } = await serving(() => undefined)
    test.after(() => { server.closeAllConnections(); server.close() })
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const fault = faultAt(client)
    test.mock.timers.tick(5000)
    assert.deepEqual(await fault, { message: en['fault.silent'], detail: '' })
  })
})
