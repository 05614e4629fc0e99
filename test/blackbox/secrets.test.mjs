// Protocol, from "Credentials" to "The snapshot and its rows": what the host was shown or has made up once is nowhere to
// be read afterwards: not in a reply, an event, its log or its store.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { granted } from './lib/client.mjs'
import { accounts, adminToken, startHost } from './lib/host.mjs'
import { hashPhrase } from './lib/credentials.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, agentOf, newKey, newWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await newWorld(await startHost('--access-log', '--log-level', 'debug'))

// everything that the host writes down, as one text.
function written() {
  const files = readdirSync(host.store, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile()
  )
  assert.ok(files.length > 0)
  return files.map((file) => readFileSync(join(file.path, file.name), 'latin1')).join('') + host.log
}

test('no secret is in the snapshot, an event, the log or the store', async (t) => {
  const secret = { "the administrator's token": adminToken }
  for (const [i, { passwHash }] of accounts.slice(0, 3).entries()) secret[`hash ${i}`] = passwHash
  secret['the first API key'] = owner.apiKey
  const stream = await openStream(host, { as: admin, sid })
  t.after(() => stream.close())

  const idempotency = newKey()
  secret['the idempotency key'] = idempotency
  const { phrase, spaceId } = granted(
    await host.rpc(
      'createSpace',
      { name: 'S', designKey: 'd', ownerDisplayName: 'o' },
      { as: owner, sid, idempotency, reveals: true }
    )
  )
  Object.assign(secret, { 'the phrase': phrase, 'the hash of the phrase': hashPhrase(phrase) })
  secret['a new API key'] = granted(
    await host.call('POST', '/api/nodes/api-key', { as: owner, idempotency: newKey(), body: {}, reveals: true })
  ).apiKey
  owner.apiKey = secret['a new API key']
  await agentOf(host, owner, 2)
  secret['a realtime secret'] = `ephemeral-${newKey()}`
  const realtimeWebrtc = { clientSecret: secret['a realtime secret'] }
  granted(
    await register(
      host,
      sid,
      agent,
      { passwHash: agent.passwHash, apiKey: owner.apiKey, realtimeWebrtc },
      { as: agent, key: null }
    )
  )
  const command = {
    requestId: 'r',
    mainNodeId: owner.nodeId,
    fromPlayerId: '__human__',
    toPlayerId: agent.nodeId,
    kind: 'realtime'
  }
  granted(await host.rpc('intercomCommand', command, { as: owner, sid }))
  const response = {
    ...command,
    toPlayerId: '__human__',
    fromPlayerId: agent.nodeId,
    status: 'completed',
    ts: new Date().toISOString(),
    result: { realtimeWebrtc }
  }
  granted(await host.rpc('intercomResponse', response, { as: agent, sid }))
  await stream.find((event) => event.data.status === 'completed')

  const seen = {
    'the snapshot': JSON.stringify(await snapshotOf(host, owner)),
    'the stream': stream.raw,
    'the lists': (await host.call('GET', '/api/nodes', { as: admin, query: { all: 'true' } })).text,
    'the space': (await host.rpc('inspectSpace', { spaceId }, { as: owner })).text
  }
  await host.stop()
  seen['log and store'] = written()
  assert.ok(seen['log and store'].includes(agent.nodeId), 'the store was not read')
  for (const [where, text] of Object.entries(seen))
    for (const [what, value] of Object.entries(secret)) assert.ok(!text.includes(value), `${what} is in ${where}`)
})
