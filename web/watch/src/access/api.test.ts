import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { en } from '../text/en.js'
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
  it('is said in words of the page, with its own beside them', async (test) => {
    const { api, server } = await serving((_, reply) => {
      reply.writeHead(400).end('{"error": "no tool assist_wave", "code": "tool_unknown", "requestId": "r"}')
    })
    test.after(() => server.close())
    const { status, code, message, detail } = await refusalOf(api)
    assert.deepEqual([status, code, message, detail], [400, 'tool_unknown', en['fault.toolUnknown'], 'no tool assist_wave'])
  })

  it('is said in its own words where the page has none', async (test) => {
    for (const kind of ['amenity_last', 'toString', '']) {
      const { api, server } = await serving((_, reply) => {
        reply.writeHead(400).end(JSON.stringify({ error: 'the last one stays', code: kind, requestId: 'r' }))
      })
      test.after(() => server.close())
      const { code, message, detail } = await refusalOf(api)
      assert.deepEqual([code, message, detail], [kind, 'the last one stays', ''])
    }
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
