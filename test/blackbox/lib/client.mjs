// The calls of the protocol ("Requests, errors and limits"), with what every reply owes checked on every reply.

import assert from 'node:assert/strict'
import { exchange } from './http.mjs'
import { is, check } from './rows.mjs'

const refusal = { error: is.named, code: (v) => /^[a-z]+(_[a-z]+)*$/.test(v), requestId: is.named }

// The client's own words may hold null; the host's never do, but for a
// registration without a connection.
const free = new Set(['args', 'result', 'parameters', 'journey', 'command'])

function refuseNull(value, where, nullable) {
  assert.ok(value !== null || nullable.includes(where), `${where} is null, but the protocol omits it`)
  if (value === null || typeof value !== 'object') return
  for (const [key, inner] of Object.entries(value)) if (!free.has(key)) refuseNull(inner, `${where}.${key}`, nullable)
}

// secrets are what no reply may ever show, but the one that hands it out.
const secrets = new Set()

export function keepSecret(text) {
  secrets.add(text)
}

export function refuseSecrets(text, where) {
  for (const secret of secrets) assert.ok(!text.includes(secret), `${where} contains a secret`)
}

export class Client {
  service = 'play'
  // The highest rev that any reply was of.
  rev = 0

  // headersOf is how a caller shows who it is: a node by id and hash, the
  // administrator by a token.
  headersOf({ as, key, headers }) {
    const shown = {}
    if (as?.token !== undefined) shown.authorization = `Bearer ${as.token}`
    if (as?.nodeId !== undefined) Object.assign(shown, { 'x-node-id': as.nodeId, 'x-node-passw': as.passwHash })
    const apiKey = key === undefined ? as?.apiKey : key
    if (apiKey) shown['x-api-key'] = apiKey
    return { ...shown, ...headers }
  }

  url(path, { sid, query }) {
    const url = new URL(
      path.startsWith('/api/') || !path.startsWith('/') ? path : `/api/${this.service}${path}`,
      this.base
    )
    if (sid !== undefined) url.searchParams.set('sid', sid)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    return url
  }

  // call makes one request. `body` is sent as JSON, `raw` as it is; key: null
  // leaves the account's API key out; `to` is a server other than the next.
  async call(method, path, options = {}) {
    const { body, raw, idempotency, nullable = [], reveals = false, to = this.next() } = options
    const headers = this.headersOf(options)
    if ((body !== undefined || raw !== undefined) && !('content-type' in headers))
      headers['content-type'] = 'application/json'
    if (idempotency) headers['idempotency-key'] = idempotency
    const payload = body === undefined ? raw : JSON.stringify(body)
    const reply = await exchange(this.url(path, options), { method, headers, body: payload, port: to.port })
    this.rev = Math.max(this.rev, Number(reply.headers['x-play-rev'] ?? 0))
    if (/^application\/json\b/.test(reply.headers['content-type'] ?? '')) {
      reply.json = JSON.parse(reply.text)
      refuseNull(
        reply.json,
        'reply',
        nullable.map((name) => `reply.${name}`)
      )
    }
    if (!reveals) refuseSecrets(reply.text, `${method} ${path}`)
    return reply
  }

  rpc(op, payload, options = {}) {
    return this.call('POST', '/sdk/rpc', { ...options, body: { op, payload } })
  }
}

// refused asserts one error of the protocol, in its whole shape.
export function refused(reply, status, code, naming) {
  assert.equal(`${reply.status} ${reply.json?.code}`, `${status} ${code}`, reply.text)
  check(reply.json, refusal, 'error')
  if (naming) assert.ok(reply.json.error.includes(naming), `"${reply.json.error}" does not name ${naming}`)
  if (status === 429 || code === 'behind') assert.match(reply.headers['retry-after'] ?? '', /^\d+$/)
  return reply.json
}

// granted asserts success, and the fields of the reply where a shape is given.
export function granted(reply, shape) {
  assert.equal(reply.status, 200, reply.text)
  if (shape) check(reply.json, shape, 'reply')
  return reply.json
}
