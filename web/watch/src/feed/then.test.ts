import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Then } from './then.js'

describe('the names of past occupants', () => {
  it('are kept for the latest arrivals', () => {
    const then = new Then()
    const arrive = (id: string, name: string): void => {
      then.pass({ kind: 'world:player_added', data: { player: { kind: 'agent', nodeId: 'n', agentId: id, name, x: 0, y: 0 } } })
    }
    arrive('ada', 'Ada')
    for (let other = 0; other < 4999; other += 1) arrive(`agent-${other}`, 'Somebody')
    arrive('ada', 'Ada L.')
    arrive('grace', 'Grace')
    assert.equal(then.whose('ada')?.name, 'Ada L.')
    assert.equal(then.whose('agent-0'), undefined)
    assert.equal(then.whose('agent-1')?.name, 'Somebody')
  })
})
