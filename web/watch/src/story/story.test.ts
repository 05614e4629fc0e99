import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { happened, joined, unread } from './story.js'

const line = (seq: number): object => ({ seq, role: 'assistant', text: `line ${seq}`, at: new Date(seq).toISOString() })
const page = (hasMore: boolean, ...seqs: readonly number[]): Parameters<typeof joined>[1] => [{ interactions: seqs.map(line), hasMore } as never, undefined]

describe('a story', () => {
  it('keeps events that arrived while it was read', () => {
    const first = joined(unread, page(true, 3, 4))
    const grown = happened(first, 'world:interaction', { playerId: 'ada', role: 'user', text: 'meanwhile' }, 5, 5)
    const whole = joined(grown, page(false, 1, 2))
    assert.deepEqual(whole.chapters.map(({ seq }) => seq), [5, 4, 3, 2, 1])
    assert.deepEqual([grown.lines, whole.lines], [{ before: 3 }, undefined])
  })

  it('is unchanged by events that do not belong in it', () => {
    const story = joined(unread, page(false, 1))
    assert.equal(happened(story, 'world:agent_signal', { playerId: 'ada' }, 2, 2), story)
  })
})
