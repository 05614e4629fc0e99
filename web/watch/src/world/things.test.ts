import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readEvent } from '@playctl/sdk'
import { occupantThing } from './things.js'

const row = (more: object): object => ({ kind: 'agent', nodeId: 'n', agentId: 'ada', name: 'Ada', x: 1, y: 2, ...more })

describe('a row on the page', () => {
  it('has only fields of valid type', () => {
    const ada = occupantThing(row({ platform: 7, flagged: 'yes', lastUpdate: { path: 'none' } }))
    assert.ok(ada?.kind === 'agent')
    assert.deepEqual([ada.key, ada.id, ada.name, ada.platform, ada.flagged, ada.lastUpdate], ['agent:n:ada', 'ada', 'Ada', '', false, undefined])
  })

  it('is the same object as long as its row is, with its path', () => {
    const path = [{ type: 'origin', x: 1, y: 2, content: 'Where?' }]
    const raw = row({ lastUpdate: { journey: { steps: [] }, path } })
    const ada = occupantThing(raw)
    assert.ok(ada?.kind === 'agent')
    assert.deepEqual(ada.lastUpdate?.path, [{ type: 'origin', x: 1, y: 2, content: 'Where?', structureId: '' }])
    assert.equal(occupantThing(raw), ada)
  })

  it('is undefined if its kind is unknown', () => {
    for (const other of [row({ kind: 'cloud' }), row({ kind: 'toString' }), [], null, 'agent']) assert.equal(occupantThing(other), undefined)
  })

  it('skips steps of unknown type or without a position', () => {
    const path = [{ type: 'leap', x: 1, y: 1 }, { type: 'origin', x: '1', y: 1 }, null, { type: 'destination', x: 3, y: 4 }]
    const event = readEvent({ kind: 'world:journey', data: { playerId: 'ada', path } })
    assert.ok(event?.kind === 'world:journey')
    assert.deepEqual(event.data.path.map(({ type }) => type), ['destination'])
  })
})
