// Protocol, "GET /api/play/session": the session, and who is shown it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { is } from './lib/rows.mjs'
import { accounts } from './lib/host.mjs'
import { admin, openWorld } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const session = (as, more) => host.call('GET', '/session', { as, ...more })

test('a session has a random UUID, a rev, a seq and the capabilities of the host', async () => {
  const shape = {
    sid: (v) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(v),
    rev: is.count,
    seq: is.count,
    capabilities: is.texts
  }
  const { capabilities } = granted(await session(owner), shape)
  assert.deepEqual([...capabilities].sort(), [
    'activity',
    'chain-at-rev',
    'chain-inline',
    'chain-nodes',
    'chain-proof',
    'idempotency',
    'interactions',
    'min-rev',
    'person',
    'resume'
  ])
})

test('every client receives the same session', async () => {
  for (const as of [owner, agent, admin]) assert.equal(granted(await session(as)).sid, sid)
})

test('the sid is not a credential', async () => {
  refused(await session(undefined, { sid }), 401, 'credentials_missing')
  refused(await host.call('GET', '/snapshot', { sid }), 401, 'credentials_missing')
  refused(await host.rpc('getWorldSnapshot', {}, { sid }), 401, 'credentials_missing')
})

test('the hash of the owner is not valid for the id of an agent', async () => {
  refused(await session({ ...agent, passwHash: owner.passwHash }), 401, 'credentials_invalid')
  refused(
    await host.call('GET', '/snapshot', { as: { ...agent, passwHash: owner.passwHash }, sid }),
    401,
    'credentials_invalid'
  )
  refused(
    await host.rpc('getWorldSnapshot', {}, { as: { ...agent, passwHash: owner.passwHash } }),
    401,
    'credentials_invalid'
  )
})

test('incomplete or malformed credentials are refused', async () => {
  refused(await session({ nodeId: owner.nodeId, passwHash: '' }), 401, 'credentials_missing')
  refused(await session({ nodeId: '', passwHash: owner.passwHash }), 401, 'credentials_missing')
  for (const passwHash of ['x', owner.passwHash.toUpperCase(), `${owner.passwHash}00`])
    refused(await session({ nodeId: owner.nodeId, passwHash }), 401, 'credentials_invalid')
  refused(await session({ nodeId: 'x', passwHash: owner.passwHash }), 401, 'credentials_invalid')
  refused(await session(accounts[6]), 401, 'credentials_invalid')
})

test('a read needs no sid, and ignores one', async () => {
  for (const query of [undefined, 'x', crypto.randomUUID()])
    granted(await host.rpc('getWorldSnapshot', {}, { as: agent, sid: query }))
})
