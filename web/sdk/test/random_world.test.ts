import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { JourneyStep, WorldClient } from '../src/index.js'
import { createClient, playerChainRoot } from '../src/index.js'
import { follow } from './follow.js'
import { Host } from './host.js'
import { type Random, below, oneOf, random, someJson, someText } from './random.js'

let host: Host
let client: WorldClient
before(async () => {
  host = await Host.start('--no-repository')
  client = createClient({ baseUrl: host.url })
})
after(async () => { await host.end() })

/** Returns a text that a host accepts as a name. */
const name = (next: Random) => `n${someText(next)}`

/** Makes one change to the world, usually. */
async function change(next: Random, agents: Set<string>, servers: Set<string>): Promise<unknown> {
  const playerId = oneOf(next, ...agents, `a${below(next, 20)}\u{1f600}`, `a${below(next, 20)}\uffff`)
  switch (agents.has(playerId) ? below(next, 5) : 0) {
    case 0: {
      agents.add(playerId)
      const assistTools = [{ name: 'assist_x', description: someText(next), parameters: { [someText(next)]: someJson(next) } }]
      return client.register({ name: name(next), type: name(next), agentId: playerId, agent: { type: 't', toolNames: ['chat_tool', 'assist_x'], assistTools } })
    }
    case 1:
      agents.delete(playerId)
      return client.disconnect({ playerId })
    case 2: {
      const { id } = await client.registerMcp({ name: `m${below(next, 6)}${oneOf(next, 'ä', '')}`, url: `https://example.com/${below(next, 9)}` })
      return servers.add(id)
    }
    case 3: {
      const id = oneOf(next, ...servers, 'none')
      servers.delete(id)
      return client.unregisterMcp(id)
    }
    default:
      return client.recordJourney({ playerId, journey: { steps: Array.from({ length: 1 + below(next, 4) }, () => step(next)), startedAt: at, completedAt: at } })
  }
}

const at = '2026-01-02T03:04:05.678Z'

function step(next: Random): JourneyStep {
  const args = { [someText(next)]: someJson(next) }
  return oneOf<JourneyStep>(next, { type: 'origin', content: someText(next), messageId: 'm' }, { type: 'structure', toolName: 'x', toolCallId: 'c', args })
}

it('every state of a random world has the root of the host, however rows are read', async () => {
  const seed = Number(process.env.PLAYCTL_TEST_SEED ?? 13)
  const next = random(seed)
  const subscriptions = [follow(client), follow(client, { inline: false })]
  for (const { updates } of subscriptions) await updates.until((u) => u.verification === 'verified')
  const [agents, servers] = [new Set<string>(), new Set<string>()]
  for (let i = 0; i < 300; i++) await change(next, agents, servers)
  const last = await client.snapshot()
  assert.ok((last.rev ?? 0) > 150, `seed ${seed} changed little`)
  for (const { updates, sub } of subscriptions) {
    const { snapshot } = await updates.until((u) => u.snapshot.rev === last.rev)
    assert.deepEqual(snapshot.worldMap, last.worldMap)
    assert.deepEqual(playerChainRoot(snapshot), { merkleRootHex: last.merkleRootHex, merkleLeafCount: last.merkleLeafCount })
    assert.ok(updates.all.every((u) => u.verification === 'verified' || u.verification === 'catching-up'), `seed ${seed}`)
    assert.equal(sub.state.stats.mismatches, 0)
    assert.equal(sub.state.stats.fullReads, 1)
    await sub.close()
  }
  // A copy with the rows in its events is never behind them.
  assert.ok(subscriptions[0]?.updates.all.every((u) => u.verification === 'verified'))
})
