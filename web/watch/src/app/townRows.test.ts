import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Occupant } from '@playctl/sdk'
import { townPath, townRow } from './townRows.js'

const row = (more: object): Occupant => ({ kind: 'agent', nodeId: 'n', agentId: 'ada', name: 'Ada', x: 1, y: 2, ...more }) as unknown as Occupant

describe('a row for the town', () => {
  it('has only what is of its type', () => {
    const view = townRow(row({ platform: 7, flagged: 'yes', lastUpdate: { path: 'none' } }))
    assert.ok(view.kind === 'agent')
    assert.deepEqual([view.name, view.platform, view.flagged, view.lastUpdate], ['Ada', '', false, undefined])
  })

  it('is the same as long as the row is, with its path', () => {
    const path = [{ type: 'origin', x: 1, y: 2, content: 'Where?' }]
    const ada = row({ lastUpdate: { journey: { steps: [] }, path } })
    const view = townRow(ada)
    assert.ok(view.kind === 'agent')
    assert.deepEqual(view.lastUpdate?.path, [{ type: 'origin', x: 1, y: 2, content: 'Where?', toolName: '' }])
    assert.equal(townRow(ada), view)
  })

  it('walks no step that it does not know or that is nowhere', () => {
    const steps = [{ type: 'leap', x: 1, y: 1 }, { type: 'origin', x: '1', y: 1 }, null, { type: 'destination', x: 3, y: 4 }]
    assert.deepEqual(townPath(steps).map(({ type }) => type), ['destination'])
    assert.deepEqual(townPath({}), [])
  })
})
