import assert from 'node:assert/strict'
import { it } from 'node:test'
import { occupantThing, type OccupantThing } from '../world/things.js'
import { arranged } from './order.js'
import { inPlaces } from './steady.js'

function agent(agentId: string, state: string): OccupantThing {
  const thing = occupantThing({ kind: 'agent', nodeId: 'n', agentId, name: agentId, x: 1, y: 1, activity: { state, since: '2026-01-02T03:04:05.000Z' } })
  assert.ok(thing)
  return thing
}

it('rows that stay in their places have the state of now, unless rows came or left', () => {
  const before = arranged([agent('a', 'working'), agent('b', 'idle')], 'en')
  const now = [agent('a', 'idle'), agent('b', 'waiting')]
  assert.deepEqual(arranged(now, 'en')[0]?.rows.map(({ row }) => row.id), ['b', 'a'])
  assert.deepEqual(inPlaces(before, arranged(now, 'en'))?.[0]?.rows.map(({ row }) => row), now)
  assert.equal(inPlaces(before, arranged([...now, agent('c', 'idle')], 'en')), undefined)
  assert.equal(inPlaces(before, arranged(now.slice(1), 'en')), undefined)
  assert.equal(inPlaces(before, arranged([agent('a', 'idle'), agent('c', 'idle')], 'en')), undefined)
})
