// The first page of the protocol: what a body must be before anything reads it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { granted, refused } from './lib/client.mjs'
import { headOf, openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()
granted(await register(host, sid, agent))

const send = (raw) => host.call('POST', '/mcp/register', { as: owner, sid, raw })
const named = (json) => `{"name":"m","x":${json}}`

const broken = {
  'a duplicate key': '{"name":"m","name":"m"}',
  'a duplicate key in what is ignored': named('{"a":{"b":1,"b":2}}'),
  'a duplicate key in another spelling': '{"name":"m","n\\u0061me":"m"}',
  'a duplicate empty key': named('{"":1,"":2}'),
  'a lone high surrogate': named('"\\ud800"'),
  'a lone low surrogate': named('"\\udc00"'),
  'surrogates the wrong way round': named('"\\udc00\\ud800"'),
  'a high surrogate before a letter': named('"\\ud83dx"'),
  'a lone surrogate in a key': named('{"\\ud800":1}'),
  'a number outside the double range': named('1e999'),
  'a negative one': named('-1e999'),
  'a very long one': named('9'.repeat(400)),
  'trailing data': '{"name":"m"} {}',
  'trailing letters': '{"name":"m"}x',
  'two bodies': '{"name":"m"}{"name":"m"}',
  'a trailing comma': '{"name":"m",}',
  'a comment': '{"name":"m"/* */}',
  'single quotes': "{'name':'m'}",
  'a bare key': '{name:"m"}',
  'a leading zero': named('01'),
  'a leading plus': named('+1'),
  'a bare point': named('1.'),
  NaN: named('NaN'),
  Infinity: named('Infinity'),
  'a control character': named('"a\u0001b"'),
  'a line break in a string': named('"a\nb"'),
  'an unknown escape': named('"\\x41"'),
  'a body that ends early': '{"name":"m"',
  'no JSON': 'name=m',
  'white space only': '  ',
  'a wide space': '{"name":\u00a0"m"}'
}

for (const [what, raw] of Object.entries(broken)) {
  test(`refused: ${what}`, async () => {
    refused(await send(raw), 400, 'json_invalid')
  })
}

const bytes = (...list) => Buffer.concat([Buffer.from('{"name":"m","x":"'), Buffer.from(list), Buffer.from('"}')])

for (const [what, raw] of Object.entries({
  'a stray continuation byte': bytes(0x80),
  'a cut sequence': bytes(0xc3),
  'an overlong form': bytes(0xc0, 0xaf),
  'an encoded surrogate': bytes(0xed, 0xa0, 0x80),
  'beyond Unicode': bytes(0xf4, 0x90, 0x80, 0x80),
  'Latin-1': bytes(0xe9)
})) {
  test(`refused: invalid UTF-8, ${what}`, async () => {
    refused(await send(raw), 400, 'json_invalid')
  })
}

for (const value of ['[]', 'null', 'true', '1', '"name"', '[{"name":"m"}]']) {
  test(`refused: a body that is not an object, ${value}`, async () => {
    refused(await send(value), 400, 'body_invalid')
  })
}

test('no refused body changed the world', async () => {
  assert.equal((await snapshotOf(host, owner)).mcpServers.length, 0)
})

for (const [what, raw] of Object.entries({
  'white space around': ' \t\r\n{ "name" : "m" } \n',
  'unknown fields of any kind': named('{"a":[1,null,{"b":[]}],"c":1e308,"d":-0.0,"e":5e-324}'),
  'a pair of surrogates': '{"name":"\\ud83d\\ude00"}',
  'U+FFFE and U+FFFF': named('"\\ufffe\\uffff"'),
  'a NUL escape in what is ignored': named('"\\u0000"')
})) {
  test(`accepted: ${what}`, async () => {
    granted(await send(raw))
  })
}

test('the strings of a body are returned as they were sent', async () => {
  const { id } = granted(await send('{"name":"\\ud83d\\ude00 \\u00e9 \\u2028 </script> \\"\\\\"}'))
  const row = (await snapshotOf(host, owner)).worldMap.occupants.find((occupant) => occupant.id === id)
  assert.equal(row.name, '\u{1F600} \u00e9 \u2028 </script> "\\')
})

test('a body nested 100,000 deep is answered, and the host continues to run', async () => {
  const depth = 100_000
  const reply = await send(named('['.repeat(depth) + ']'.repeat(depth)))
  assert.ok(reply.status === 200 || reply.json.code === 'json_invalid', reply.text)
  refused(await send(named('{"a":'.repeat(depth))), 400, 'json_invalid')
  await headOf(host)
})

test('every route with a body is strict', async () => {
  const twice = '{"a":1,"a":1}'
  for (const [method, path, as] of [
    ['POST', '/players', agent],
    ['POST', '/players/heartbeat', agent],
    ['POST', '/players/disconnect', agent],
    ['POST', '/mcp/unregister', owner],
    ['POST', '/sdk/rpc', agent],
    ['POST', '/api/nodes', undefined],
    ['DELETE', '/api/nodes', owner],
    ['POST', '/api/nodes/agent-node', owner],
    ['POST', '/api/nodes/validate', agent],
    ['POST', '/api/nodes/api-key', owner]
  ]) {
    refused(await host.call(method, path, { as, sid, raw: twice }), 400, 'json_invalid')
  }
  refused(
    await host.call('POST', '/sdk/rpc', {
      as: agent,
      sid,
      raw: `{"op":"recordInteraction","payload":{"playerId":"${agent.nodeId}","role":"user","role":"tool","text":"x"}}`
    }),
    400,
    'json_invalid'
  )
})
