// Protocol, "Routes of the world": MCP placements.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { is, readRow } from './lib/rows.mjs'
import { openStream } from './lib/stream.mjs'
import { admin, headOf, main, openWorld, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
const other = await main(host, 2)

const register = (body, as = owner) => host.call('POST', '/mcp/register', { as, sid, body })
const unregister = (id, as = owner) => host.call('POST', '/mcp/unregister', { as, sid, body: { id } })

test('a row is added, changed and removed, with one event each', async (t) => {
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  const { id } = granted(await register({ name: 'tools', url: 'https://tools.example/mcp' }), { id: is.named })
  const added = await stream.next('world:mcp_registered')
  const row = readRow(added.data.mcp)
  assert.deepEqual([row.id, row.name, row.url, row.nodeId], [id, 'tools', 'https://tools.example/mcp', owner.nodeId])
  assert.deepEqual(
    added.data.playerChainNotify.nodes.map((ref) => ref.stableKey),
    [`mcp:${id}`]
  )

  assert.deepEqual(granted(await register({ name: 'tools' })), { id })
  const changed = readRow((await stream.next('world:mcp_registered')).data.mcp)
  assert.ok(!('url' in changed))
  assert.deepEqual([changed.id, changed.x, changed.y], [id, row.x, row.y])
  const before = await headOf(host)
  assert.deepEqual(granted(await register({ name: 'tools' })), { id })
  assert.deepEqual(await headOf(host), before)
  assert.deepEqual((await snapshotOf(host, owner)).mcpServers, [{ id, name: 'tools' }])

  granted(await unregister(id), { ok: (v) => v === true })
  const { data } = await stream.next('world:mcp_unregistered')
  assert.equal(data.id, id)
  assert.equal(typeof data.reason, 'string')
  assert.deepEqual(
    data.playerChainNotify.nodes.map(({ stableKey, removed }) => ({ stableKey, removed })),
    [{ stableKey: `mcp:${id}`, removed: true }]
  )
  granted(await unregister(id), { ok: (v) => v === false })
})

test('a name belongs to its owner', async () => {
  const mine = granted(await register({ name: 'shared' }))
  const theirs = granted(await register({ name: 'shared' }, other))
  assert.notEqual(mine.id, theirs.id)
  refused(await unregister(mine.id, other), 403, 'forbidden')
  refused(await unregister(mine.id, agent), 403, 'forbidden')
  refused(await register({ name: 'agents may not' }, agent), 403, 'forbidden')
  granted(await unregister(mine.id), { ok: (v) => v === true })
  granted(await unregister(theirs.id, other), { ok: (v) => v === true })
})

test('the administrator removes any occupant', async (t) => {
  const remove = (stableKey, as = admin) => host.call('POST', '/occupants/remove', { as, sid, body: { stableKey } })
  const { id } = granted(await register({ name: 'unwanted' }))
  const stream = await openStream(host, { as: owner, sid })
  t.after(() => stream.close())
  refused(await remove(`mcp:${id}`, owner), 403, 'forbidden')
  refused(await remove(`mcp:${id}`, { token: 'wrong' }), 401, 'credentials_invalid')
  granted(await remove(`mcp:${id}`), { ok: (v) => v === true })
  const { data } = await stream.next('world:mcp_unregistered')
  assert.deepEqual([data.id, data.reason], [id, 'admin'])
  assert.deepEqual((await snapshotOf(host, owner)).mcpServers, [])
})
