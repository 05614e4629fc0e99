import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Entry } from '../feed/entry.js'
import type { TimedEvent } from './events.js'
import { Replay } from './replay.js'

const event: TimedEvent = { kind: 'world:interaction', data: {}, at: 1, past: false }
const said = (text: string, group: Entry['group'] = 'speech'): Entry => ({
  serial: 1, seq: undefined, event: event.kind, group, at: 1, key: 'agent:ada', name: 'Ada', sentence: 'event.said.assistant', values: {}, text,
})

describe('playback of the past', () => {
  it('keeps the last line of a speaker until another moment is shown', () => {
    const replay = new Replay()
    const got: unknown[] = []
    const end = replay.listen((happened, entry) => { got.push(happened && entry?.text) })
    replay.play(event, said('one'))
    replay.play(event, said('two'))
    replay.play(event, said('a place', 'place'))
    assert.equal(replay.lineOf('agent:ada')?.text, 'two')
    replay.clear()
    assert.equal(replay.lineOf('agent:ada'), undefined)
    end()
    replay.play(event, said('nobody listens'))
    assert.deepEqual(got, ['one', 'two', 'a place', undefined])
  })
})
