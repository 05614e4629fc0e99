import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fulfills, mostWishes, readWishes } from './notifier.js'

describe('what one is notified of', () => {
  it('is read as far as it can be, and bounded', () => {
    for (const none of [null, '', '{', '3', '{"kind":"word"}', '[null, 3, {"kind":"word","word":" "}, {"kind":"agent","key":1}]']) assert.deepEqual(readWishes(none), [])
    const one = { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }
    assert.deepEqual(readWishes(JSON.stringify([one, { kind: 'other' }])), [one])
    assert.equal(readWishes(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ kind: 'word', word: `w${i}` })))).length, mostWishes)
  })

  it('is what an agent does itself, or a line with a word', () => {
    const said = { key: 'agent:n:ada', group: 'speech', sentence: 'event.said.assistant', text: 'The River is high' } as const
    assert.ok(fulfills(said, { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }))
    assert.ok(fulfills(said, { kind: 'word', word: 'river' }))
    assert.ok(!fulfills(said, { kind: 'word', word: 'sea' }))
    assert.ok(!fulfills(said, { kind: 'agent', key: 'agent:n:grace', name: 'Grace' }))
    assert.ok(!fulfills({ ...said, sentence: 'event.said.user' }, { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }))
    assert.ok(!fulfills({ ...said, group: 'intercom' }, { kind: 'word', word: 'river' }))
  })
})
