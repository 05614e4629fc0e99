// Protocol, "Watching in a browser": who may watch, and what a cookie is good for.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { granted, keepSecret, refused } from './lib/client.mjs'
import { is } from './lib/rows.mjs'
import { newKey, openWorld, register, sidOf } from './lib/world.mjs'

const given = { scope: is.oneOf('watch', 'act'), expiresAt: is.time }

// The page's routes have no /api before them.
function ask(host, path, options) {
  return host.call('POST', new URL(path, host.base).href, options)
}

function cookieIn(reply) {
  const [header, ...more] = reply.headers['set-cookie'] ?? []
  assert.ok(header, 'the reply has no cookie')
  assert.equal(more.length, 0)
  const [pair, ...attributes] = header.split('; ')
  return { pair, attributes }
}

async function session(host, { token, headers } = {}) {
  const reply = await ask(host, '/play/watch/session', { body: token ? { token } : {}, headers })
  const { scope } = granted(reply, given)
  return { scope, ...cookieIn(reply) }
}

const shows = (cookie, headers) => ({ headers: { cookie: cookie.pair, ...headers } })

async function tokenOf({ host, owner, sid }) {
  const reply = await ask(host, '/play/watch/token', { as: owner, sid, body: {}, reveals: true })
  const { token } = granted(reply, { token: is.named, url: is.named, expiresAt: is.time, 'allAddresses?': (told) => told === true })
  keepSecret(token)
  return token
}

const question = ({ owner, agent }) => ({
  requestId: newKey(),
  mainNodeId: owner.nodeId,
  fromPlayerId: '__human__',
  toPlayerId: agent.nodeId,
  kind: 'chat',
  text: 'Hello'
})

test('a cookie on loopback needs no token, and is inaccessible to scripts and other sites', async () => {
  const world = await openWorld()
  const { host, agent, sid } = world
  granted(await register(host, sid, agent))
  const cookie = await session(host)
  assert.equal(cookie.scope, 'act')
  assert.ok(cookie.attributes.includes('HttpOnly'))
  assert.ok(cookie.attributes.includes('SameSite=Strict'))
  assert.ok(!cookie.attributes.includes('Secure'), 'without TLS a browser would drop the cookie')

  refused(await host.call('GET', '/session', { as: {} }), 401, 'credentials_missing')
  granted(await host.call('GET', '/session', shows(cookie)))
  granted(await host.rpc('getWorldSnapshot', {}, shows(cookie)))
  granted(await host.rpc('intercomCommand', question(world), { sid, ...shows(cookie) }))
  const [name, value] = [cookie.pair.slice(0, cookie.pair.indexOf('=')), cookie.pair.slice(cookie.pair.indexOf('=') + 1)]
  const forged = { headers: { cookie: `${name}=${value[0] === 'A' ? 'B' : 'A'}${value.slice(1)}` } }
  refused(await host.call('GET', '/session', forged), 401, 'credentials_invalid')
})

test('other sites are refused, by origin or by a name that resolves to this host', async () => {
  const { host } = await openWorld()
  const cookie = await session(host)
  for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    refused(await ask(host, '/play/watch/session', { body: {}, headers: foreign }), 403, 'forbidden')
    refused(await host.call('GET', '/session', shows(cookie, foreign)), 403, 'forbidden')
    refused(await host.rpc('getWorldSnapshot', {}, shows(cookie, foreign)), 403, 'forbidden')
  }
  const { port } = new URL(host.base)
  const rebound = { host: `evil.example:${port}` }
  const reply = await ask(host, '/play/watch/session', { body: {}, headers: rebound })
  refused(reply, 403, 'forbidden')
  assert.equal(reply.headers['set-cookie'], undefined)
  refused(await host.call('GET', '/session', shows(cookie, rebound)), 401, 'credentials_invalid')
  granted(await host.call('GET', '/session', shows(cookie, { origin: host.base })))
})

test('watching beyond loopback needs a token, and a token of a main node may act', async () => {
  const world = await openWorld('--listen', '0.0.0.0:0')
  const { host, owner, agent, sid } = world
  granted(await register(host, sid, agent))
  refused(await ask(host, '/play/watch/session', { body: {} }), 401, 'credentials_missing')
  refused(await ask(host, '/play/watch/session', { body: { token: 'pt_wrong' } }), 401, 'credentials_invalid')
  refused(await ask(host, '/play/watch/token', { as: agent, sid, body: {} }), 403, 'forbidden')

  const cookie = await session(host, { token: await tokenOf(world) })
  assert.equal(cookie.scope, 'act')
  granted(await host.rpc('getWorldSnapshot', {}, shows(cookie)))
  granted(await host.rpc('intercomCommand', question(world), { sid, ...shows(cookie) }))
  assert.equal(await sidOf(host, owner), sid)
})

test('a cookie of public watching has the scope watch only', async () => {
  const world = await openWorld('--listen', '0.0.0.0:0', '--watch-access', 'public')
  const { host, agent, sid } = world
  granted(await register(host, sid, agent))
  const cookie = await session(host)
  assert.equal(cookie.scope, 'watch')
  granted(await host.rpc('getWorldSnapshot', {}, shows(cookie)))
  granted(await host.rpc('listInteractions', {}, shows(cookie)))
  refused(await host.rpc('intercomCommand', question(world), { sid, ...shows(cookie) }), 403, 'forbidden')
})

test('a token and its cookies end with their main node', async () => {
  const world = await openWorld('--watch-access', 'token')
  const { host, owner } = world
  const token = await tokenOf(world)
  const cookie = await session(host, { token })
  granted(await host.call('GET', '/session', shows(cookie)))
  granted(await host.call('DELETE', '/api/nodes', { as: owner, body: { confirmNodeId: owner.nodeId } }))
  refused(await host.call('GET', '/session', shows(cookie)), 401, 'credentials_invalid')
  refused(await ask(host, '/play/watch/session', { body: { token } }), 401, 'credentials_invalid')
})

test('a token and its cookie survive a power cut, and no file holds the token', async () => {
  const world = await openWorld('--watch-access', 'token')
  const { host } = world
  const token = await tokenOf(world)
  const cookie = await session(host, { token })
  await host.kill()
  for (const file of readdirSync(host.folder, { recursive: true })) {
    const path = join(host.folder, file)
    if (statSync(path).isFile()) assert.ok(!readFileSync(path).includes(token), `${file} holds the token`)
  }
  // The port is in the cookie's name, so the host comes back at the same one.
  host.args.push('--listen', new URL(host.base).host)
  await host.start()
  granted(await host.call('GET', '/session', shows(cookie)))
  assert.equal((await session(host, { token })).scope, 'act')
})
