// Protocol, "Other service names, other hosts": the paths and habits of the clients of the agent-play service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openStream } from './lib/stream.mjs'
import { openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld('--compat', 'agent-play')

// underBothNames runs a part of a test under each of the two names.
async function underBothNames(part) {
  for (const service of ['agent-play', 'play']) {
    host.service = service
    await part(service)
  }
}

test('every route answers under both names, without a key', async () => {
  await underBothNames(async () => {
    assert.equal(granted(await host.call('GET', '/session', { as: owner, key: null })).sid, sid)
    granted(await register(host, sid, agent, {}, { key: null }))
    granted(await host.call('POST', '/mcp/register', { as: owner, sid, key: null, body: { name: 'm' } }))
    granted(await host.call('GET', '/snapshot', { as: owner, sid, key: null }))
    await snapshotOf(host, owner)
    granted(
      await host.call('POST', '/proximity-action', {
        as: owner,
        sid,
        key: null,
        body: { fromPlayerId: '__human__', toPlayerId: agent.nodeId, action: 'chat' }
      })
    )
    granted(
      await host.call('POST', '/assist-tool', {
        as: owner,
        sid,
        key: null,
        body: { targetPlayerId: agent.nodeId, toolName: 'chat_tool', args: {} }
      })
    )
  })
})

test('a key that is sent is still checked', async () => {
  await underBothNames(async () =>
    refused(await host.call('GET', '/session', { as: owner, key: 'wrong' }), 401, 'api_key_invalid')
  )
})

test('streams under both service names have the events of one world', async (t) => {
  const streams = []
  await underBothNames(async () => streams.push(await openStream(host, { as: owner, sid })))
  t.after(() => streams.forEach((stream) => stream.close()))
  host.service = 'agent-play'
  granted(await register(host, sid, agent, { name: 'Heard twice' }, { key: null }))
  for (const stream of streams) {
    const { data } = await stream.find((event) => event.event === 'world:player_added')
    assert.equal(data.player.name, 'Heard twice')
  }
})

test('the routes of nodes have the same paths', async () => {
  granted(await host.call('POST', '/api/nodes/validate', { as: agent, body: {} }))
  refused(await host.call('GET', '/api/other/session', { as: owner }), 404, 'not_found')
})

test('without --compat the other name is unknown', async () => {
  const plain = await openWorld()
  plain.host.service = 'agent-play'
  refused(await plain.host.call('GET', '/session', { as: plain.owner }), 404, 'not_found')
})
