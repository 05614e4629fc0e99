// Protocol, "Routes of nodes": who may make a main node.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { accounts, rootKey, startHost } from './lib/host.mjs'
import { admin, openWorld } from './lib/world.mjs'

const create = (host, headers, i = 0) =>
  host.call('POST', '/api/nodes', { headers, body: { kind: 'main', ...accounts[i] }, reveals: true })

const bootstrap = (host, headers, as) => host.call('GET', '/bootstrap', { headers, as })
const bootstrapShape = (registration) => ({ rootKey: (v) => v === rootKey, registration: (v) => v === registration })

test('open: the root key is returned to every caller', async () => {
  const { host, owner } = await openWorld()
  granted(await bootstrap(host), bootstrapShape('open'))
  granted(await bootstrap(host, {}, owner), bootstrapShape('open'))
})

test('closed: the root key is returned to no caller', async () => {
  const host = await startHost('--registration', 'closed')
  refused(await create(host, {}), 403, 'registration_closed')
  refused(await create(host, { 'x-registration-token': 'any' }), 403, 'registration_closed')
  refused(await bootstrap(host), 401, 'credentials_missing')
  granted(await bootstrap(host, {}, admin), bootstrapShape('closed'))
})

test('token: the root key is returned to callers with the token', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'playctl-blackbox-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'token')
  writeFileSync(file, 'let-me-in-please\n', { mode: 0o600 })
  const host = await startHost('--registration', 'token', '--registration-token-file', file)
  refused(await create(host, {}), 403, 'registration_closed')
  refused(await create(host, { 'x-registration-token': 'wrong' }), 403, 'registration_closed')
  refused(await bootstrap(host, { 'x-registration-token': 'wrong' }), 401, 'credentials_missing')
  granted(await bootstrap(host, { 'x-registration-token': 'let-me-in-please' }), bootstrapShape('token'))
  granted(await create(host, { 'x-registration-token': 'let-me-in-please' }))
  granted(await bootstrap(host, {}, accounts[0]), bootstrapShape('token'))
})
