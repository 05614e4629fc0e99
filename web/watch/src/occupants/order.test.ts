import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { occupantThing, type OccupantThing } from '../world/things.js'
import { activityOf, arranged, totalsOf } from './order.js'
import { find } from './search.js'

interface Given {
  readonly state?: string
  readonly parentId?: string
  readonly group?: string
  readonly nodeId?: string
  readonly usage?: object
  readonly since?: string
}

function agent(id: string, { state, usage, since = '2026-01-02T03:04:05.000Z', nodeId = 'n', ...rest }: Given = {}): OccupantThing {
  const activity = state === undefined ? {} : { activity: { state, since, ...(usage && { usage }) } }
  const thing = occupantThing({ kind: 'agent', nodeId, agentId: id, name: id, x: 1, y: 1, ...activity, ...rest })
  assert.ok(thing)
  return thing
}

/** Returns the order of rows as lines: the names of groups, and ids indented below their parents. */
const listed = (...rows: readonly OccupantThing[]): string[] => arranged(find(rows, '', 'en'), 'en')
  .flatMap(({ name, rows: placed }) => [`[${name}]`, ...placed.map(({ row, depth }) => '>'.repeat(depth) + row.id)])

describe('the order of residents', () => {
  it('begins with those that need a person, and ends with those of which nothing is known, by name', () => {
    assert.deepEqual(listed(
      agent('a'), agent('b', { state: 'idle' }), agent('c', { state: 'done' }), agent('d', { state: 'working' }), agent('e', { state: 'failed' }),
      agent('f', { state: 'waiting' }), agent('agent 10', { state: 'waiting' }), agent('agent 9', { state: 'waiting' }), agent('0', { state: 'dreaming' }),
    ), ['[]', 'agent 9', 'agent 10', 'f', 'e', 'd', 'c', 'b', '0', 'a'])
  })

  it('begins with who has waited longest', () => {
    const [early, late] = ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:06.000Z']
    assert.deepEqual(listed(
      agent('a', { state: 'waiting', since: late }), agent('b', { state: 'waiting', since: early }), agent('c', { state: 'failed', since: late }), agent('d', { state: 'failed', since: early }),
    ), ['[]', 'b', 'a', 'c', 'd'])
  })

  it('has children below their parents, and a family where its neediest member is', () => {
    assert.deepEqual(listed(
      agent('a', { state: 'working' }), agent('b', { state: 'idle' }), agent('b2', { parentId: 'b', state: 'done' }), agent('b1', { parentId: 'b' }),
      agent('b3', { parentId: 'b2', state: 'waiting' }), agent('c', { state: 'failed' }),
    ), ['[]', 'b', '>b2', '>>b3', '>b1', 'c', 'a'])
  })

  it('follows a parent only to a row of the same node, and in no cycle', () => {
    assert.deepEqual(listed(agent('a'), agent('b', { parentId: 'a', nodeId: 'other' }), agent('c', { parentId: 'gone' })), ['[]', 'a', 'b', 'c'])
    assert.deepEqual(listed(agent('a', { parentId: 'a' })), ['[]', 'a'])
    assert.deepEqual(
      listed(agent('a', { parentId: 'c' }), agent('b', { parentId: 'a' }), agent('c', { parentId: 'b' }), agent('d', { parentId: 'c' }), agent('e', { parentId: 'd' })),
      ['[]', 'a', 'b', 'c', '>d', '>>e'],
    )
  })

  it('is by group: first groups with agents that need a person, then by name, and last agents without one', () => {
    assert.deepEqual(listed(
      agent('a', { state: 'waiting' }), agent('b', { group: 'red', state: 'working' }), agent('c', { group: 'blue', state: 'idle' }),
      agent('d', { group: 'white', state: 'failed' }), agent('e', { group: 'violet', state: 'waiting' }),
    ), ['[violet]', 'e', '[white]', 'd', '[blue]', 'c', '[red]', 'b', '[]', 'a'])
  })

  it('puts a child without a group into that of its parent, and one with another group into its own', () => {
    assert.deepEqual(
      listed(agent('a', { group: 'red' }), agent('b', { parentId: 'a' }), agent('c', { parentId: 'b', group: 'blue' }), agent('d', { parentId: 'c' }), agent('e')),
      ['[blue]', 'c', '>d', '[red]', 'a', '>b', '[]', 'e'],
    )
  })

  it('takes a long line of descendants, and a long cycle', () => {
    const line = Array.from({ length: 3000 }, (_, number) => agent(`${number}`, { parentId: `${number - 1}` }))
    assert.equal(arranged(line, 'en')[0]?.rows.at(-1)?.depth, 2999)
    const cycle = Array.from({ length: 3000 }, (_, number) => agent(`${number}`, { parentId: `${(number + 1) % 3000}` }))
    assert.ok(arranged(cycle, 'en')[0]?.rows.every(({ depth }) => depth === 0))
  })
})

describe('the totals', () => {
  it('count the agents by state, without those of which nothing is known', () => {
    const { counts, tokens, costUsd } = totalsOf([agent('a', { state: 'waiting' }), agent('b', { state: 'waiting' }), agent('c', { state: 'idle' }), agent('d'), agent('e', { state: 'dreaming' })])
    assert.deepEqual(counts, { waiting: 2, failed: 0, working: 0, done: 0, idle: 1 })
    assert.equal(tokens, undefined)
    assert.equal(costUsd, undefined)
  })

  it('add up what is reported', () => {
    const { tokens, costUsd } = totalsOf([
      agent('a', { state: 'working', usage: { inputTokens: 1200, outputTokens: 30 } }), agent('b', { state: 'done', usage: { inputTokens: 0, costUsd: 0.5 } }), agent('c', { state: 'done' }),
    ])
    assert.equal(tokens, 1230)
    assert.equal(costUsd, 0.5)
  })
})

it('an agent without an activity, or in a state that is not known here, does nothing that could be shown', () => {
  assert.equal(activityOf(agent('a')), undefined)
  assert.equal(activityOf(agent('a', { state: 'dreaming' })), undefined)
  assert.equal(activityOf(agent('a', { state: 'constructor' })), undefined)
})
