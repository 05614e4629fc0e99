// Protocol, "Events": the bridge, which posts each event of the whole audience to
// another service, in order, and again until it is taken.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { granted, refuseSecrets } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { openWorld, register } from './lib/world.mjs'

// receiver takes what a host posts; the first posts it turns away.
async function receiver(t, refusals) {
  const posts = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { method, url, headers } = request
    posts.push({
      method,
      url,
      key: headers['idempotency-key'],
      type: headers['content-type'],
      text,
      taken: refusals-- <= 0
    })
    response.writeHead(posts.at(-1).taken ? 200 : 503).end()
    server.emit('post')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${server.address().port}/in`,
    async taken(count) {
      for (;;) {
        const list = posts.filter((post) => post.taken)
        if (list.length >= count) return { list, posts }
        await once(server, 'post', { signal: AbortSignal.timeout(30_000) })
      }
    }
  }
}

test('events are posted in order, with the seq as key, until they are accepted', async (t) => {
  const sink = await receiver(t, 2)
  const { host, owner, agent, sid } = await openWorld('--bridge-url', sink.url)
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  granted(await register(host, sid, agent))
  granted(await host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text: 'hi' }, { as: agent, sid }))
  const question = {
    requestId: 'r',
    mainNodeId: owner.nodeId,
    fromPlayerId: '__human__',
    toPlayerId: agent.nodeId,
    kind: 'chat',
    text: 'secret question'
  }
  granted(await host.rpc('intercomCommand', question, { as: owner, sid }))
  granted(await host.call('POST', '/mcp/register', { as: owner, sid, body: { name: 'm' } }))
  const received = []
  while (received.length < 5) received.push(await stream.next())
  const everybody = received.filter(({ event }) => event !== 'world:intercom')
  assert.equal(everybody.length, 3)

  const { list, posts } = await sink.taken(3)
  assert.ok(posts.length >= 5, 'a refused post was not sent again')
  for (const [i, { id, event, data }] of everybody.entries()) {
    const { method, url, key, type, text } = list[i]
    assert.deepEqual([method, url, key], ['POST', '/in/events', String(id)])
    assert.match(type, /^application\/json\b/)
    assert.deepEqual(JSON.parse(text), { event, sid, payload: data })
    refuseSecrets(text, 'the bridge')
  }
  assert.ok(!posts.some((post) => post.text.includes('secret question')))
})
