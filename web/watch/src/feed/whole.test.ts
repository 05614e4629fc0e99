import assert from 'node:assert/strict'
import { describe as suite, it } from 'node:test'
import type { JsonObject, ListEventsReply } from '@playctl/sdk'
import { Directory } from '../world/directory.js'
import { describe } from './describe.js'
import { wholeOf } from './whole.js'

const long = `It ${'goes on and '.repeat(60)}ends.`
const asked = { requestId: 'r', fromPlayerId: 'ada', toPlayerId: '__human__' }
const reply = (event: string, data: JsonObject, seq = 7): Pick<ListEventsReply, 'events'> => ({ events: [{ seq, rev: 1, event, at: '2026-01-02T03:04:05.000Z', data }] })
const entry = (kind: string, data: JsonObject): ReturnType<typeof describe> => describe({ seq: 7, kind, data, at: 0, past: false }, new Directory([], []), 1)

suite('the full text', () => {
  const route = Array.from({ length: 40 }, (_, stop) => `stop ${stop} of the way`)
  const cases: Readonly<Record<string, readonly [kind: string, data: JsonObject, whole: string]>> = {
    'of a line': ['world:interaction', { playerId: 'ada', role: 'assistant', text: long }, long],
    'of a question': ['world:intercom', { ...asked, status: 'forwarded', command: { text: long } }, long],
    'of an error': ['world:intercom', { ...asked, status: 'failed', error: long }, long],
    'of an answer with members': ['world:intercom', { ...asked, status: 'completed', message: long, result: { table: 7 } }, `${long}\n\ntable: 7`],
    'of a journey': ['world:journey', { playerId: 'ada', journey: { steps: route.map((content) => ({ type: 'structure', toolName: content })) }, path: [] }, route.join(' → ')],
  }
  for (const [name, [kind, data, whole]] of Object.entries(cases)) {
    it(`${name} starts with the text of its row`, () => {
      assert.ok(entry(kind, data).text.length < whole.length)
      assert.equal(wholeOf(entry(kind, data), reply(kind, data)), whole)
    })
  }

  it('is not the text at the same seq of another world', () => {
    const kept = entry('world:interaction', { playerId: 'ada', role: 'assistant', text: long })
    assert.equal(wholeOf(kept, reply('world:interaction', { playerId: 'ada', role: 'assistant', text: `Not ${long}` })), undefined)
    assert.equal(wholeOf(kept, reply('world:intercom', { ...asked, status: 'failed', error: long })), undefined)
    assert.equal(wholeOf(kept, reply('world:interaction', { playerId: 'ada', role: 'assistant', text: long }, 8)), undefined)
    assert.equal(wholeOf(kept, { events: [] }), undefined)
  })
})
