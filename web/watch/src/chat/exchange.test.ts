import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { randomText, type JsonObject } from '@playctl/sdk'
import { answered, ask, givenUp, keptExchanges, notSent, type Exchange } from './exchange.js'

const question: Exchange = { requestId: 'r', agentId: 'ada', toolName: '', question: 'Why?', status: 'sending', answer: '', error: '', detail: '', at: 1 }
const event = (data: JsonObject): JsonObject => ({ requestId: 'r', fromPlayerId: 'ada', toPlayerId: '__human__', ...data })

describe('an exchange', () => {
  it('progresses from the question to the answer', () => {
    let all = ask([], question, 1)
    for (const status of ['started', 'forwarded']) {
      all = answered(all, event({ status }), 2)
      assert.equal(all[0]?.status, status)
    }
    all = answered(all, event({ status: 'stream', message: 'Be' }), 3)
    all = answered(all, event({ status: 'stream', message: 'cause' }), 4)
    assert.equal(all[0]?.answer, 'Because')
    all = answered(all, event({ status: 'completed', message: 'Because.' }), 5)
    assert.deepEqual(all.map(({ status, answer }) => [status, answer]), [['completed', 'Because.']])
  })

  it('keeps streamed text if the last event has none', () => {
    const all = answered(answered(ask([], question, 1), event({ status: 'stream', message: 'So' }), 2), event({ status: 'completed' }), 3)
    assert.equal(all[0]?.answer, 'So')
  })

  it('puts streamed sentences on separate lines, and joins parts of a text', () => {
    const streamed = (...parts: string[]): string | undefined =>
      parts.reduce((all, message) => answered(all, event({ status: 'stream', message }), 2), ask([], question, 1))[0]?.answer
    assert.equal(streamed('Calling the restaurant…', 'They are looking for a table…'), 'Calling the restaurant…\nThey are looking for a table…')
    assert.equal(streamed('It is 3.', '14', ' in', ' the U.', 'S', '. They', ' say'), 'It is 3.14 in the U.S. They say')
  })

  it('keeps the result of an answer beside its text', () => {
    const all = answered(ask([], question, 1), event({ status: 'completed', message: 'Booked.', result: { message: 'Booked.', messageKind: 'text', table: 7 } }), 2)
    assert.deepEqual([all[0]?.answer, all[0]?.result], ['Booked.', { table: 7 }])
    assert.equal(answered(ask([], question, 1), event({ status: 'completed', result: { message: 'So.', messageKind: 'text' } }), 2)[0]?.result, undefined)
  })

  it('states why it failed', () => {
    const all = answered(ask([], question, 1), event({ status: 'failed', error: 'out of oil' }), 2)
    assert.deepEqual(all.map(({ status, error }) => [status, error]), [['failed', 'out of oil']])
  })

  it('has a unique id, also on a page without a secure context', (test) => {
    test.mock.method(crypto, 'randomUUID', () => { throw new TypeError('crypto.randomUUID is not a function') })
    const ids = Array.from({ length: 100 }, randomText)
    assert.equal(new Set(ids).size, 100)
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
  })

  it('may be known only from its events after the page was reloaded', () => {
    const all = answered([], event({ status: 'forwarded', command: { text: 'Why?' } }), 2)
    assert.deepEqual(all.map(({ agentId, question: asked }) => [agentId, asked]), [['ada', 'Why?']])
  })

  it('can fail to be sent only before the host has it', () => {
    const fault = { message: 'Wait a moment.', detail: 'too many requests' }
    const unsent = notSent(ask([], question, 1), 'r', fault)
    assert.deepEqual(unsent.map(({ status, error, detail }) => [status, error, detail]), [['not-sent', 'Wait a moment.', 'too many requests']])
    assert.deepEqual(answered(unsent, event({ status: 'forwarded' }), 2).map(({ error, detail }) => [error, detail]), [['', '']])
    assert.equal(notSent(answered(ask([], question, 1), event({ status: 'started' }), 2), 'r', fault)[0]?.status, 'started')
  })

  it('is given up if no answer can be expected, and may still be answered', () => {
    for (const status of ['sending', 'started', 'forwarded', 'stream'] as const) {
      const all = givenUp(ask([], { ...question, status }, 1), 'The world was reset.')
      assert.deepEqual(all.map((one) => [one.status, one.error]), [['failed', 'The world was reset.']], status)
    }
    for (const status of ['not-sent', 'completed', 'failed'] as const) assert.equal(givenUp(ask([], { ...question, status }, 1), 'why')[0]?.status, status)
    const all = answered(givenUp(ask([], question, 1), 'why'), event({ status: 'completed', message: 'So.' }), 2)
    assert.deepEqual(all.map(({ status, answer, error }) => [status, answer, error]), [['completed', 'So.', '']])
  })

  it('is kept in a list of bounded length', () => {
    let all: readonly Exchange[] = []
    for (let n = 0; n < keptExchanges + 5; n += 1) all = ask(all, { ...question, requestId: `r${n}` }, 1)
    assert.equal(all.length, keptExchanges)
    assert.equal(all.at(-1)?.requestId, `r${keptExchanges + 4}`)
  })
})
