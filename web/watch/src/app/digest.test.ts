import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Entry } from '../feed/entry.js'
import { digest, isAnnounced } from './digest.js'

const entry = (given: Partial<Entry>): Entry => ({
  serial: 0, seq: 1, event: 'world:intercom', group: 'intercom', at: 0, key: 'agent:ada', name: 'Ada', sentence: 'event.intercom.stream', values: {}, text: '', ...given,
})

describe('an announcement', () => {
  it('is one answer, however many parts preceded it', () => {
    const parts = Array.from({ length: 200 }, () => entry({ text: 'a part' }))
    const steps = Array.from({ length: 200 }, () => entry({ event: 'world:person_added', sentence: 'event.walked' }))
    const waiting = [...parts, ...steps, entry({ sentence: 'event.intercom.completed', text: 'The **blue** one.' })].filter(isAnnounced)
    assert.equal(digest(waiting), 'Ada answered: The blue one.')
  })

  it('has a few answers and the number of the others', () => {
    const answers = ['one', 'two', 'three', 'four', 'five'].map((words) => entry({ sentence: 'event.intercom.completed', text: words }))
    assert.equal(digest(answers), 'Ada answered: one Ada answered: two Ada answered: three 2 more answers came.')
  })

  it('has the agents that began to need a person, each once, and the number of the others', () => {
    const state = (name: string, sentence: Entry['sentence'], more: Partial<Entry> = {}): Entry =>
      entry({ event: 'world:activity', group: 'activity', key: `agent:${name}`, name, sentence, renews: false, ...more })
    const happened = [
      state('Ada', 'event.activity.waiting', { text: 'May I?' }), state('Bo', 'event.activity.working', { text: 'Reading' }), state('Cy', 'event.activity.failed', { text: 'Timeout' }),
      state('Ada', 'event.activity.waiting', { text: 'more', renews: true }), state('Di', 'event.activity.idle'), state('Di', 'event.activity.done'),
    ]
    assert.equal(digest(happened.filter(isAnnounced)), 'Ada is waiting for a person: May I? Cy failed: Timeout')
    const many = Array.from({ length: 100 }, (_, number) => state(`a${number % 50}`, 'event.activity.waiting'))
    assert.match(digest(many), /^a0 is waiting for a person a1 is waiting for a person a2 is waiting for a person 47 more agents are waiting or failed\.$/)
  })

  it('names who arrived and who left', () => {
    const happened = [entry({ event: 'world:player_added', sentence: 'event.added' }), entry({ event: 'world:person_removed', sentence: 'event.removed.lease', name: 'Bo' })]
    assert.ok(happened.every(isAnnounced))
    assert.equal(digest(happened), 'Ada arrived. Bo left.')
  })
})
