// Protocol, "The player chain": rows whose canonical form is easy to get wrong. The text of the
// registration is written by hand, so that it holds what JSON.stringify would not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical } from './lib/canonical.mjs'
import { granted } from './lib/client.mjs'
import { rootKey } from './lib/host.mjs'
import { chainOf, proofHolds } from './lib/chain.mjs'
import { readSnapshot } from './lib/rows.mjs'
import { Subscriber } from './lib/subscriber.mjs'
import { openWorld, register, snapshotOf } from './lib/world.mjs'

const { host, owner, agent, sid } = await openWorld()

const parameters = {
  numbers:
    '{"a":[1.0,-0,0.1,1E2,1e21,1e20,123456789012345678901,9007199254740993,1e-7,1e-6,5e-324,1.7976931348623157e308,-0.0,100,4.50,2e-3,333333333.33333329]}',
  'keys in UTF-16 order':
    '{"\u{1F600}":1,"\ufb33":2,"\u20ac":3,"\\r":4,"1":5,"\u0080":6,"\u00f6":7,"</script>":8,"":9,"10":10,"2":11}',
  escapes:
    '{"s":"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\\\/\\u007f\\u0080\\u2028\\u2029\\ud83d\\ude00\\u00E9<>&"}',
  'names of JavaScript': '{"__proto__":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":null}',
  'nothing and nesting': '{"a":{},"b":[],"c":[[[{}]]],"d":null,"e":[null,true,false]}',
  'normal forms kept apart': '{"\\u00e9":"\\u00e9","e\\u0301":"e\\u0301","\\u212b":1,"\\u00c5":2}'
}

const body = (
  text
) => `{"name":"Rows","type":"t","agentId":"${agent.nodeId}","agent":{"type":"t","toolNames":["chat_tool","assist_a"],
  "assistTools":[{"name":"assist_a","description":"d","parameters":${text}}]}}`

for (const [what, text] of Object.entries(parameters)) {
  test(`a row with ${what}`, async (t) => {
    const subscribers = await Promise.all(
      ['inline', 'batch'].map((kind) => new Subscriber(host, owner, kind).open(sid))
    )
    t.after(() => subscribers.forEach((subscriber) => subscriber.close()))
    const nullable = ['connectionId', 'leaseTtlSeconds']
    granted(await host.call('POST', '/players', { as: agent, sid, raw: body(text), nullable }))
    for (const subscriber of subscribers) {
      const { data } = await subscriber.follow((event) => event.event === 'world:player_added')
      assert.equal(canonical(data.player.assistTools[0].parameters), canonical(JSON.parse(text)))
    }
    const { merkleRootHex, merkleLeafCount, ...snapshot } = readSnapshot(await snapshotOf(host, owner))
    assert.deepEqual(chainOf(snapshot, rootKey), { merkleRootHex, merkleLeafCount })
    assert.ok(
      proofHolds(
        granted(
          await host.rpc('getPlayerChainProof', { stableKey: `agent:${owner.nodeId}:${agent.nodeId}` }, { as: agent })
        )
      )
    )
  })
}

test('a journey with such values, across a restart', async () => {
  granted(await register(host, sid, agent))
  const step = `{"type":"structure","toolName":"t","toolCallId":"c","args":${parameters.numbers},"result":${parameters.escapes}}`
  const raw = `{"op":"recordJourney","payload":{"playerId":"${agent.nodeId}","journey":{"steps":[${step}],"startedAt":"2026-01-02T03:04:05.678Z","completedAt":"2026-01-02T03:04:05.678Z"}}}`
  granted(await host.call('POST', '/sdk/rpc', { as: agent, sid, raw }))
  const before = readSnapshot(await snapshotOf(host, owner))
  await host.kill()
  await host.start()
  const { merkleRootHex, merkleLeafCount, ...snapshot } = readSnapshot(await snapshotOf(host, owner))
  assert.deepEqual({ merkleRootHex, merkleLeafCount, ...snapshot }, before)
  assert.deepEqual(chainOf(snapshot, rootKey), { merkleRootHex, merkleLeafCount })
})
