// Protocol, "Requests, errors and limits": what the headers of requests and replies say.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { admin, headOf, openWorld, register, registration } from './lib/world.mjs'
import { openStream } from './lib/stream.mjs'

const { host, owner, agent, sid } = await openWorld()
granted(await register(host, sid, agent))

const snapshot = (headers) => host.call('GET', '/snapshot', { as: owner, sid, headers })

test('replies with world state are not stored, and state their rev', async () => {
  const { rev } = await headOf(host)
  const reads = [
    await host.call('GET', '/session', { as: owner }),
    await snapshot(),
    await host.rpc('getWorldSnapshot', {}, { as: owner }),
    await host.rpc('getPlayerChainNode', { stableKey: '__header__' }, { as: owner }),
    await host.rpc('getPlayerChainNodes', { stableKeys: ['__header__'] }, { as: owner }),
    await host.rpc('getPlayerChainProof', { stableKey: '__header__' }, { as: owner }),
    await host.rpc('listInteractions', {}, { as: owner }),
    await host.rpc('listJourneys', {}, { as: owner })
  ]
  for (const reply of reads) {
    granted(reply)
    assert.match(reply.headers['cache-control'], /\bno-store\b/)
    assert.equal(reply.headers['x-play-rev'], String(rev))
    assert.match(reply.headers['content-type'], /^application\/json\b/)
  }
})

test('the reply to a write states at least the rev that it created', async () => {
  const writes = [
    () => register(host, sid, agent, { name: 'Renamed' }),
    () => host.call('POST', '/mcp/register', { as: owner, sid, body: { name: 'm' } }),
    () =>
      host.rpc(
        'recordJourney',
        {
          playerId: agent.nodeId,
          journey: {
            steps: [{ type: 'origin', content: 'c', messageId: 'm' }],
            startedAt: '2026-01-02T03:04:05.678Z',
            completedAt: '2026-01-02T03:04:05.678Z'
          }
        },
        { as: agent, sid }
      ),
    () => host.call('POST', '/players/disconnect', { as: agent, sid, body: { playerId: agent.nodeId } })
  ]
  for (const write of writes) {
    const { rev } = await headOf(host)
    const reply = await write()
    granted(reply)
    assert.ok(
      Number(reply.headers['x-play-rev']) >= rev + 1,
      `x-play-rev is ${reply.headers['x-play-rev']} after rev ${rev}`
    )
  }
})

test('the snapshot route has an entity tag from sid and rev', async () => {
  const first = await snapshot()
  const tag = first.headers.etag
  assert.match(tag, /^(W\/)?"[^"]+"$/)
  for (const asked of [tag, `"other", ${tag}`, '*', `W/${tag.replace(/^W\//, '')}`]) {
    const reply = await snapshot({ 'if-none-match': asked })
    assert.deepEqual([reply.status, reply.text, reply.headers.etag], [304, '', tag], asked)
  }
  assert.equal((await snapshot({ 'if-none-match': '"other"' })).status, 200)
  granted(await register(host, sid, agent, { name: 'Another' }))
  const next = await snapshot({ 'if-none-match': tag })
  assert.equal(next.status, 200)
  assert.notEqual(next.headers.etag, tag)
})

test('x-play-min-rev waits for the rev, for a limited time', async () => {
  const { rev } = await headOf(host)
  const at = (value) => ({ 'x-play-min-rev': String(value) })
  granted(await snapshot(at(rev)))
  granted(await snapshot(at(0)))
  const started = Date.now()
  refused(await snapshot(at(rev + 1000)), 503, 'behind')
  assert.ok(Date.now() - started >= 900, 'the host did not wait')
  refused(await host.rpc('getWorldSnapshot', {}, { as: owner, headers: at(rev + 1000) }), 503, 'behind')
  const waiting = snapshot(at(rev + 1))
  granted(await register(host, sid, agent, { name: 'Awaited' }))
  assert.equal(granted(await waiting).rev, rev + 1)
})

test('the media type is JSON, whatever its parameters', async () => {
  const raw = JSON.stringify(registration(agent))
  const post = (type) =>
    host.call('POST', '/players', {
      as: agent,
      sid,
      raw,
      headers: type === undefined ? {} : { 'content-type': type },
      nullable: ['connectionId', 'leaseTtlSeconds']
    })
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=latin1;x=y',
    'Application/JSON',
    'application/json ; a="b;c"'
  ])
    granted(await post(type))
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    ''
  ])
    refused(await post(type), 415, 'media_type')
})

test('a request without a body needs no media type', async () => {
  granted(await host.call('GET', '/session', { as: owner }))
  granted(await host.call('DELETE', '/api/agents', { as: owner, query: { id: 'f'.repeat(64) } }))
  refused(await host.call('POST', '/api/agents', { as: owner }), 410, 'removed')
})

test('a refused method is answered with the allowed methods', async () => {
  const reply = await host.call('PUT', '/api/nodes', { as: owner, body: {} })
  refused(reply, 405, 'method_not_allowed')
  for (const method of ['GET', 'POST', 'DELETE']) assert.ok(reply.headers.allow.includes(method), reply.headers.allow)
})

test('the stream is neither buffered nor cached', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  assert.match(stream.headers['content-type'], /^text\/event-stream\b/)
  assert.equal(stream.headers['x-accel-buffering'], 'no')
  assert.match(stream.headers['cache-control'], /\bno-(store|cache)\b/)
})

test('a refusal is JSON with its own request id', async () => {
  const ids = new Set()
  for (let i = 0; i < 5; i++) ids.add(refused(await host.call('GET', '/session'), 401, 'credentials_missing').requestId)
  assert.equal(ids.size, 5)
})

test('health needs no credentials', async () => {
  for (const path of ['healthz', 'readyz']) assert.equal((await host.call('GET', path)).status, 200)
  const metrics = await host.call('GET', 'metrics')
  assert.match(metrics.headers['content-type'], /^text\/plain\b/)
  assert.match(metrics.text, /^# HELP /m)
})

test('the administrator reads without a node and without a key', async () => {
  granted(await host.call('GET', '/session', { as: admin }))
  granted(await host.call('GET', '/snapshot', { as: admin, sid }))
  granted(await host.rpc('getWorldSnapshot', {}, { as: admin }))
  granted(await host.rpc('listInteractions', {}, { as: admin }))
  const stream = await openStream(host, { as: admin, sid })
  assert.equal(stream.status, 200)
  stream.close()
  refused(await host.call('GET', '/session', { as: { token: 'wrong' } }), 401, 'credentials_invalid')
})
