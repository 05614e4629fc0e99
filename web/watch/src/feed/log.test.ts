import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Entry, Group } from './entry.js'
import { everything } from './filter.js'
import { FeedLog } from './log.js'

function entry(serial: number, group: Group = 'speech', text = ''): Entry {
  return { serial, seq: serial, event: 'world:interaction', group, at: serial, key: `agent:n:${serial % 3}`, name: `Agent ${serial % 3}`, sentence: 'event.said.user', values: {}, text }
}

describe('the log of events', () => {
  it('keeps the newest', () => {
    const log = new FeedLog(3)
    for (let serial = 1; serial <= 5; serial += 1) log.add(entry(serial))
    assert.equal(log.size, 3)
    assert.deepEqual([0, 1, 2, 3].map((place) => log.newest(place)?.serial), [5, 4, 3, undefined])
  })

  it('adds names for entries with only an id, and keeps known names', () => {
    const log = new FeedLog(5)
    log.add({ ...entry(1), key: '', name: 'g1', unsure: 'g1' })
    log.add({ ...entry(2), key: '', name: 'nobody', unsure: 'nobody' })
    log.add({ ...entry(3), unsure: 'g1' })
    log.nameUnknown((id) => id === 'g1' ? { key: 'agent:n:g1', name: 'Grace' } : undefined)
    assert.deepEqual([2, 1, 0].map((place) => log.newest(place)?.name), ['Grace', 'nobody', 'Agent 0'])
    log.prepend([], () => ({ key: 'agent:n:g1', name: 'Grace the first' }))
    assert.equal(log.newest(2)?.name, 'Grace the first', 'the name is not that of the earlier event')
  })

  it('shows the entries that match the filter, including earlier ones', () => {
    const log = new FeedLog(4)
    for (let serial = 1; serial <= 6; serial += 1) log.add(entry(serial, serial % 2 === 0 ? 'journey' : 'speech'))
    log.refilter({ ...everything, group: 'journey' })
    assert.deepEqual([0, 1, 2].map((place) => log.newest(place)?.serial), [6, 4, undefined])
    log.add(entry(7, 'journey'))
    log.add(entry(8))
    assert.deepEqual([0, 1, 2].map((place) => log.newest(place)?.serial), [7, 6, undefined])
  })

  it('stays at an event while others are added and dropped', () => {
    const log = new FeedLog(4)
    for (let serial = 1; serial <= 6; serial += 1) log.add(entry(serial))
    assert.equal(log.newerThan(4), 2)
    assert.equal(log.newest(0, 4)?.serial, 4)
    assert.equal(log.newest(1, 4)?.serial, 3)
    assert.equal(log.newest(2, 4), undefined)
  })

  it('finds words in any case, in the text and the name', () => {
    const log = new FeedLog(9)
    log.add(entry(1, 'speech', 'The Blue one'))
    log.add(entry(2, 'speech', 'nothing'))
    log.refilter({ ...everything, text: 'bLUE' })
    assert.equal(log.matching, 1)
    log.refilter({ ...everything, text: 'agent 2' })
    assert.equal(log.newest(0)?.serial, 2)
  })
})
