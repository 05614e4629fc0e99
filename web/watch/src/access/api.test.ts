import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { Api, ApiError } from './api.js'

async function serving(answer: RequestListener): Promise<{ api: Api, server: Server }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { api: new Api({ prefix: `http://127.0.0.1:${port}`, service: 'play' }), server }
}

async function refusalOf(api: Api): Promise<ApiError> {
  const refused = await api.get('/session').then(() => undefined, (cause: unknown) => cause)
  assert.ok(refused instanceof ApiError)
  return refused
}

describe('what a host does not grant', () => {
  it('is said in its own words', async (test) => {
    const { api, server } = await serving((_, reply) => {
      reply.writeHead(403).end('{"error": "this node may not", "code": "forbidden", "requestId": "r"}')
    })
    test.after(() => server.close())
    const { status, code, message } = await refusalOf(api)
    assert.deepEqual([status, code, message], [403, 'forbidden', 'this node may not'])
  })

  it('is said by the page where a proxy answers for it', async (test) => {
    const { api, server } = await serving((_, reply) => { reply.writeHead(502).end('<h1>Bad gateway</h1>') })
    test.after(() => server.close())
    const { status, message } = await refusalOf(api)
    assert.deepEqual([status, message], [502, 'The host answered with the status 502.'])
  })

  it('is said by the page where nobody answers, not in the words of the browser', async () => {
    const { api, server } = await serving(() => undefined)
    server.close()
    await once(server, 'close')
    const { status, code, message } = await refusalOf(api)
    assert.deepEqual([status, code, message], [0, 'unreachable', 'The host could not be reached.'])
  })
})
