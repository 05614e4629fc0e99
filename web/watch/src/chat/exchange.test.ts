import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, hear, keptExchanges, newRequestId, notSent, type Exchange } from './exchange.js'

const question: Exchange = { requestId: 'r', agentId: 'ada', toolName: '', question: 'Why?', status: 'sending', answer: '', error: '', detail: '', at: 1 }
const told = (data: object): Record<string, unknown> => ({ requestId: 'r', fromPlayerId: 'ada', toPlayerId: '__human__', ...data })

describe('an exchange', () => {
  it('goes from the question to the answer', () => {
    let all = ask([], question)
    for (const status of ['started', 'forwarded']) {
      all = hear(all, told({ status }), 2)
      assert.equal(all[0]?.status, status)
    }
    all = hear(all, told({ status: 'stream', message: 'Be' }), 3)
    all = hear(all, told({ status: 'stream', message: 'cause' }), 4)
    assert.equal(all[0]?.answer, 'Because')
    all = hear(all, told({ status: 'completed', message: 'Because.' }), 5)
    assert.deepEqual(all.map(({ status, answer }) => [status, answer]), [['completed', 'Because.']])
  })

  it('keeps what was streamed where the end says nothing', () => {
    const all = hear(hear(ask([], question), told({ status: 'stream', message: 'So' }), 2), told({ status: 'completed' }), 3)
    assert.equal(all[0]?.answer, 'So')
  })

  it('says why it failed', () => {
    const all = hear(ask([], question), told({ status: 'failed', error: 'out of oil' }), 2)
    assert.deepEqual(all.map(({ status, error }) => [status, error]), [['failed', 'out of oil']])
  })

  it('has an id of its own, also where a page has no secure context', (test) => {
    test.mock.method(crypto, 'randomUUID', () => { throw new TypeError('crypto.randomUUID is not a function') })
    const ids = Array.from({ length: 100 }, newRequestId)
    assert.equal(new Set(ids).size, 100)
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
  })

  it('may be known from its events only, after the page was loaded again', () => {
    const all = hear([], told({ status: 'forwarded', command: { text: 'Why?' } }), 2)
    assert.deepEqual(all.map(({ agentId, question: asked }) => [agentId, asked]), [['ada', 'Why?']])
  })

  it('can fail to be sent, but not once the host has it', () => {
    const fault = { message: 'Wait a moment.', detail: 'too many requests' }
    const unsent = notSent(ask([], question), 'r', fault)
    assert.deepEqual(unsent.map(({ status, error, detail }) => [status, error, detail]), [['not-sent', 'Wait a moment.', 'too many requests']])
    assert.deepEqual(hear(unsent, told({ status: 'forwarded' }), 2).map(({ error, detail }) => [error, detail]), [['', '']])
    assert.equal(notSent(hear(ask([], question), told({ status: 'started' }), 2), 'r', fault)[0]?.status, 'started')
  })

  it('is one of a bounded number', () => {
    let all: readonly Exchange[] = []
    for (let n = 0; n < keptExchanges + 5; n += 1) all = ask(all, { ...question, requestId: `r${n}` })
    assert.equal(all.length, keptExchanges)
    assert.equal(all.at(-1)?.requestId, `r${keptExchanges + 4}`)
  })
})
