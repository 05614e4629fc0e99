// Protocol, "Requests, errors and limits": the largest thing of each kind that fits, and the first that does
// not. Characters are code points: an emoji is one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()

const emoji = '\u{1F600}'
const names = (count, length = 4) => [
  'chat_tool',
  ...Array.from({ length: count - 1 }, (_, i) => `t${i}`.padEnd(length, '_'))
]
const tools = (toolNames, assistTools) => ({ agent: { type: 't', toolNames, assistTools } })
const described = (size) =>
  tools(['chat_tool', 'assist_a'], [{ name: 'assist_a', description: 'd'.repeat(size), parameters: {} }])

const fields = {
  'name of 200 characters': ['name', { name: 'n'.repeat(200) }, { name: 'n'.repeat(201) }],
  'name of 200 emoji': ['name', { name: emoji.repeat(200) }, { name: emoji.repeat(201) }],
  'type of 64 characters': ['type', { type: 'é'.repeat(64) }, { type: 'é'.repeat(65) }],
  '128 tool names': ['toolNames', tools(names(128)), tools(names(129))],
  'a tool name of 128 characters': [
    'toolNames',
    tools(['chat_tool', emoji.repeat(128)]),
    tools(['chat_tool', emoji.repeat(129)])
  ],
  'assist tools of about 64 KiB': ['assistTools', described(65000), described(66000)],
  'realtime instructions of 8 KiB': [
    'realtimeInstructions',
    { realtimeInstructions: 'r'.repeat(8192) },
    { realtimeInstructions: 'r'.repeat(8193) }
  ],
  'realtime instructions of 8 KiB, counted in bytes': [
    'realtimeInstructions',
    { realtimeInstructions: 'é'.repeat(4096) },
    { realtimeInstructions: 'é'.repeat(4097) }
  ],
  'a connection id of 128 characters': [
    'connectionId',
    { connectionId: 'c'.repeat(128) },
    { connectionId: 'c'.repeat(129) }
  ]
}

for (const [what, [field, fits, tooLarge]] of Object.entries(fields)) {
  test(`a registration with ${what}`, async () => {
    granted(await register(host, sid, agent, fits))
    refused(await register(host, sid, agent, tooLarge), 400, 'body_invalid', field)
  })
}

const mcp = (body) => host.call('POST', '/mcp/register', { as: owner, sid, body })
const urlOf = (length, scheme = 'https://') => scheme.concat('h/', 'p'.repeat(length - scheme.length - 2))

test('an MCP row: name of 200 characters, http or https URL of 2,048', async () => {
  granted(await mcp({ name: emoji.repeat(200), url: urlOf(2048) }))
  refused(await mcp({ name: emoji.repeat(201) }), 400, 'body_invalid', 'name')
  refused(await mcp({ name: 'm', url: urlOf(2049) }), 400, 'body_invalid', 'url')
  granted(await mcp({ name: 'm', url: 'http://127.0.0.1:9/x' }))
  for (const url of ['ftp://h/x', 'javascript:alert(1)', '//h/x', 'h', '', 'http://'])
    refused(await mcp({ name: 'm', url }), 400, 'body_invalid', 'url')
})

const journey = (steps) => ({ steps, startedAt: '2026-01-02T03:04:05.678Z', completedAt: '2026-01-02T03:04:06.000Z' })
const origin = (content = 'c') => ({ type: 'origin', content, messageId: 'm' })
const recordJourney = (steps) =>
  host.rpc('recordJourney', { playerId: agent.nodeId, journey: journey(steps) }, { as: agent, sid })

test('a journey of 500 steps and about 128 KiB', async () => {
  granted(await register(host, sid, agent))
  granted(await recordJourney(Array.from({ length: 500 }, () => origin())))
  refused(await recordJourney(Array.from({ length: 501 }, () => origin())), 400, 'body_invalid', 'journey')
  granted(await recordJourney([origin('j'.repeat(130_000))]))
  refused(await recordJourney([origin('j'.repeat(132_000))]), 400, 'body_invalid', 'journey')
})

test('a line has up to 4,000 code points, a longer one is truncated', async () => {
  const say = (text) =>
    host.rpc('recordInteraction', { playerId: agent.nodeId, role: 'user', text }, { as: agent, sid })
  granted(await say(`\u3000${emoji.repeat(4000)}\ufeff`))
  granted(await say(`x${emoji.repeat(4000)}`))
  const { interactions } = granted(await host.rpc('listInteractions', { playerId: agent.nodeId }, { as: agent }))
  assert.deepEqual(
    interactions.map((line) => line.text),
    [emoji.repeat(4000), `x${emoji.repeat(3999)}`]
  )
})

test('a read has up to 256 keys', async () => {
  const read = (count) =>
    host.rpc('getPlayerChainNodes', { stableKeys: Array.from({ length: count }, (_, i) => `mcp:${i}`) }, { as: agent })
  assert.equal(granted(await read(256)).nodes.length, 256)
  refused(await read(257), 400, 'body_invalid', 'stableKeys')
})

test('a body has up to 1 MiB, one byte more is refused', async () => {
  const body = JSON.stringify({ name: 'padded' })
  const padded = (size) => body + ' '.repeat(size - body.length)
  const post = (raw) => host.call('POST', '/mcp/register', { as: owner, sid, raw })
  granted(await post(padded(1 << 20)))
  refused(await post(padded((1 << 20) + 1)), 413, 'body_too_large')
  granted(await post([padded(1000), ' '.repeat(1000)]))
  refused(await post([padded(1 << 20), ' ']), 413, 'body_too_large')
})

test('refused requests do not count for a limit', async () => {
  const { worldMap } = await snapshotOf(host, owner)
  assert.deepEqual(
    worldMap.occupants.map((row) => row.name.length).sort((a, b) => a - b),
    [1, 3, 6, 400]
  )
})
