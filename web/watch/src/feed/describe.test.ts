import assert from 'node:assert/strict'
import { describe as suite, it } from 'node:test'
import type { JsonObject, WorldSnapshot } from '@playctl/sdk'
import { en } from '../text/en.js'
import { Directory } from '../world/directory.js'
import { occupantThing } from '../world/things.js'
import { clamp } from './entry.js'
import { describe } from './describe.js'
import { namesIn, Then } from './then.js'

const ada = occupantThing({ kind: 'agent', nodeId: 'n', agentId: 'ada', name: 'Ada', x: 1, y: 2 })
assert.ok(ada)
const robin = occupantThing({ kind: 'human', id: 'r1', name: 'Robin', x: 3, y: 2 })
assert.ok(robin)
const directory = new Directory([ada, robin], [])
const line = (kind: string, data: JsonObject): ReturnType<typeof describe> =>
  describe({ seq: 1, kind, data, at: 0, past: false }, directory, 1)

suite('an event in words', () => {
  it('names the occupant that it is about', () => {
    const entry = line('world:interaction', { playerId: 'ada', role: 'assistant', text: 'Hello' })
    assert.deepEqual([entry.key, entry.name, entry.sentence, entry.text], ['agent:n:ada', 'Ada', 'event.said.assistant', 'Hello'])
  })

  it('distinguishes an arrival from a change', () => {
    assert.equal(line('world:player_added', { player: { kind: 'agent', nodeId: 'n', agentId: 'ada', name: 'Ada' } }).sentence, 'event.changed')
    assert.equal(line('world:player_added', { player: { kind: 'agent', nodeId: 'n', agentId: 'bo', name: 'Bo' } }).sentence, 'event.added')
  })

  it('names people with a word of the page, and others with their label', () => {
    const asks = (fromPlayerId: string): unknown => line('world:agent_signal', { playerId: 'ada', kind: 'chat', data: { fromPlayerId } }).values.from
    assert.deepEqual(['__human__', '__night_watch__', 'ada'].map(asks), [en['residents.person'], 'night_watch', 'Ada'])
  })

  it('names the person who waved, entered a zone or had an agent yield', () => {
    const signal = (kind: string, data: JsonObject): unknown[] => {
      const { sentence, values } = line('world:agent_signal', { playerId: 'ada', kind, data })
      return [sentence, values.from]
    }
    assert.deepEqual(signal('chat', { fromPlayerId: 'r1' }), ['event.signal.wave', 'Robin'])
    assert.deepEqual(signal('zone', { zoneCount: 2, flagged: false, fromPlayerId: 'r1' }), ['event.signal.zoneOf', 'Robin'])
    assert.deepEqual(signal('yield', { yieldCount: 2, fromPlayerId: 'r1' }), ['event.signal.yieldTo', 'Robin'])
    assert.equal(signal('zone', { zoneCount: 2, flagged: false })[0], 'event.signal.zone')
    assert.equal(signal('chat', { fromPlayerId: 'ada' })[0], 'event.signal.chat')
  })

  it('shows the result of an answer beside its text, or alone', () => {
    const completed = (data: JsonObject): string => line('world:intercom', { requestId: 'r', status: 'completed', fromPlayerId: 'ada', ...data }).text
    const result = { messageKind: 'text', table: 7, code: 'HX-22', realtimeWebrtc: { sdp: 'x' } }
    assert.equal(completed({ message: 'Booked for 4.', result }), 'Booked for 4.\n\ntable: 7\ncode: HX-22')
    assert.equal(completed({ result }), 'table: 7\ncode: HX-22')
    assert.equal(completed({ result: { messageKind: 'text', message: 'In its result' } }), 'In its result')
    assert.equal(completed({ message: 'Nothing more' }), 'Nothing more')
  })

  it('says in which state an agent is, what it does, and whether the state began with the event', () => {
    const since = '2026-01-02T03:04:05.678Z'
    const began = Date.parse(since)
    const state = (activity: JsonObject, at = began): ReturnType<typeof describe> =>
      describe({ seq: 1, kind: 'world:activity', data: { playerId: 'ada', activity: { state: 'working', since, ...activity } }, at, past: false }, directory, 1)
    const { key, group, sentence, text, renews } = state({ text: 'Approve\u202e it', toolName: 'send_email' })
    assert.deepEqual([key, group, sentence, text, renews], ['agent:n:ada', 'activity', 'event.activity.working', 'Approve it (send_email)', false])
    assert.equal(state({}, began + 1000).renews, true)
    assert.equal(state({}).request, state({ text: 'more' }, began + 1000).request)
    assert.notEqual(state({}).request, state({ since: '2026-01-02T03:04:05.679Z' }).request)
    for (const strange of ['dreaming', 'constructor']) assert.equal(state({ state: strange }).sentence, 'event.changed')
  })

  it('uses earlier events for a past event, not the current occupants', () => {
    const then = new Then()
    const past = (seq: number, kind: string, data: JsonObject): ReturnType<typeof describe> => {
      const event = { seq, kind, data, at: 0, past: true }
      const entry = describe(event, directory, seq, then)
      then.pass(event)
      return entry
    }
    const player = (agentId: string, name: string): JsonObject => ({ kind: 'agent', nodeId: 'n', agentId, name })
    past(1, 'world:interaction', { playerId: 'ada', merkleLeafCount: 4 })
    assert.equal(past(2, 'world:player_added', { player: player('ada', 'Ada the first'), merkleLeafCount: 4 }).sentence, 'event.changed')
    assert.equal(past(3, 'world:player_added', { player: player('bo', 'Bo'), merkleLeafCount: 5 }).sentence, 'event.added')
    assert.equal(past(4, 'world:player_removed', { playerId: 'bo', merkleLeafCount: 4 }).name, 'Bo')
    const said = past(5, 'world:interaction', { playerId: 'ada', merkleLeafCount: 4 })
    assert.deepEqual([said.name, said.unsure], ['Ada the first', undefined])
    assert.equal(past(6, 'world:player_added', { player: player('bo', 'Bo again'), merkleLeafCount: 5 }).sentence, 'event.added')
    assert.equal(past(7, 'world:interaction', { playerId: 'cy', merkleLeafCount: 5 }).unsure, 'cy')
  })

  it('names spaces and removed occupants from event rows and the earlier map', () => {
    const then = new Then()
    const past = (kind: string, data: JsonObject): ReturnType<typeof describe> => {
      const event = { seq: 1, kind, data, at: 0, past: true }
      then.pass(event)
      return describe(event, directory, 1, then)
    }
    const space = { id: 's', name: 'The garden', designKey: 'garden', owner: { displayName: 'K' }, amenities: [] }
    past('world:space_changed', { spaceId: 's', action: 'created', playerChainNodes: [{ kind: 'space', stableKey: 'space:s', removed: false, space }, null, 3] })
    assert.equal(past('world:space_changed', { spaceId: 's', action: 'removed' }).values.space, 'The garden')
    past('world:journey', { playerId: 'eva', journey: { steps: [] }, playerChainNodes: [{ kind: 'occupant', occupant: { kind: 'agent', nodeId: 'n', agentId: 'eva', name: 'Eva' } }] })
    assert.equal(past('world:player_removed', { playerId: 'eva', reason: 'lease' }).name, 'Eva')
    assert.equal(past('world:player_removed', { playerId: 'kim', reason: 'lease' }).name, 'kim')
    const kim = { kind: 'agent', nodeId: 'n', agentId: 'kim', name: 'Kim' }
    then.know(namesIn({ sid: 's', worldMap: { bounds: { minX: 0, minY: 0, maxX: 9, maxY: 9 }, occupants: [kim] }, spaces: [] } as unknown as WorldSnapshot))
    assert.equal(past('world:player_removed', { playerId: 'kim', reason: 'lease' }).name, 'Kim')
  })

  it('describes every event, whatever it contains', () => {
    const kinds = ['world:player_added', 'world:player_removed', 'world:mcp_registered', 'world:mcp_unregistered', 'world:interaction',
      'world:journey', 'world:person_added', 'world:person_removed', 'world:agent_signal', 'world:space_changed', 'world:intercom', 'session:reset', 'session:resync', 'world:new']
    const data = [{}, { playerId: 7, player: [], person: 3, personId: {}, mcp: 'x', journey: { steps: 'no' }, data: null, status: {}, reason: [] }]
    for (const kind of kinds) for (const each of data) assert.ok(line(kind, each).sentence in en, kind)
  })

  it('truncates a long text between characters', () => {
    assert.equal(clamp('abc', 3), 'abc')
    assert.equal(clamp('ab😀', 3), 'ab…')
  })
})
