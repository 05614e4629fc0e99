// Protocol, "Watching in a browser": other origins get CORS headers only if the operator lists them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { openWorld, snapshotOf } from './lib/world.mjs'

const listed = 'https://app.example'
const { host, owner, sid } = await openWorld('--cors-origin', listed)

const allowed = (reply) => reply.headers['access-control-allow-origin']
const names = (reply, header) => (reply.headers[header] ?? '').toLowerCase().split(/, */)

test('a page of a listed origin reads replies, refusals and the stream', async (t) => {
  const headers = { origin: listed }
  const reply = await host.call('GET', '/session', { as: owner, headers })
  granted(reply)
  assert.equal(allowed(reply), listed)
  assert.ok(names(reply, 'vary').includes('origin'))
  for (const name of ['etag', 'x-play-rev', 'retry-after'])
    assert.ok(names(reply, 'access-control-expose-headers').includes(name), `${name} cannot be read`)
  const refusal = await host.call('GET', '/session', { headers })
  refused(refusal, 401, 'credentials_missing')
  assert.equal(allowed(refusal), listed)
  const stream = await openStream(host, { as: owner, sid, headers })
  t.after(() => stream.close())
  assert.equal(stream.headers['access-control-allow-origin'], listed)
})

test('its browser learns that it may send every header of the protocol', async () => {
  const asked = ['x-node-id', 'x-node-passw', 'x-api-key', 'x-registration-token', 'x-invitation-digest', 'x-play-min-rev', 'idempotency-key']
  asked.push('authorization', 'content-type', 'if-none-match', 'last-event-id')
  for (const [path, method] of Object.entries({ '/players': 'POST', '/snapshot': 'GET', '/api/agents': 'DELETE' })) {
    const headers = { origin: listed, 'access-control-request-method': method }
    headers['access-control-request-headers'] = asked.join(',')
    const reply = await host.call('OPTIONS', path, { headers })
    assert.equal(reply.status, 204, reply.text)
    assert.equal(allowed(reply), listed)
    assert.ok(names(reply, 'access-control-allow-methods').includes(method.toLowerCase()))
    assert.deepEqual(
      asked.filter((name) => !names(reply, 'access-control-allow-headers').includes(name)),
      []
    )
  }
})

test('every other origin gets no such header', async () => {
  for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example.evil', 'null']) {
    const reply = await host.call('GET', '/session', { as: owner, headers: { origin } })
    granted(reply)
    assert.equal(allowed(reply), undefined)
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await host.call('OPTIONS', '/players', { headers })
    refused(preflight, 405, 'method_not_allowed')
    assert.equal(allowed(preflight), undefined)
  }
  assert.deepEqual((await snapshotOf(host, owner)).worldMap.occupants, [])
})
