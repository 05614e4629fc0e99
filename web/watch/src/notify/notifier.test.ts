import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { Entry } from '../feed/entry.js'
import type { TimedEvent } from '../world/events.js'
import type { WorldStore } from '../world/store.js'
import { Notifier, fulfills, mostWishes, readWishes } from './notifier.js'

describe('a notification rule', () => {
  it('is read as far as it is valid, and bounded', () => {
    for (const none of [null, '', '{', '3', '{"kind":"word"}', '[null, 3, {"kind":"word","word":" "}, {"kind":"agent","key":1}]']) assert.deepEqual(readWishes(none), [])
    const one = { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }
    assert.deepEqual(readWishes(JSON.stringify([one, { kind: 'other' }])), [one])
    assert.equal(readWishes(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ kind: 'word', word: `w${i}` })))).length, mostWishes)
  })

  it('matches the own actions of an agent, or a line with a word', () => {
    const said = { key: 'agent:n:ada', group: 'speech', sentence: 'event.said.assistant', text: 'The River is high' } as const
    assert.ok(fulfills(said, { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }))
    assert.ok(fulfills(said, { kind: 'word', word: 'river' }))
    assert.ok(!fulfills(said, { kind: 'word', word: 'sea' }))
    assert.ok(!fulfills(said, { kind: 'agent', key: 'agent:n:grace', name: 'Grace' }))
    assert.ok(!fulfills({ ...said, sentence: 'event.said.user' }, { kind: 'agent', key: 'agent:n:ada', name: 'Ada' }))
    assert.ok(!fulfills({ ...said, group: 'intercom' }, { kind: 'word', word: 'river' }))
  })
})

describe('a notification of an agent that needs a person', () => {
  const needs = { key: 'agent:n:ada', group: 'activity', sentence: 'event.activity.waiting', text: 'Approve send_email', renews: false } as const

  it('matches when the state begins, for one agent or for all', () => {
    for (const wish of [{ kind: 'agent', key: 'agent:n:ada', name: 'Ada' }, { kind: 'needs' }] as const) {
      assert.ok(fulfills(needs, wish))
      assert.ok(fulfills({ ...needs, sentence: 'event.activity.failed' }, wish))
      assert.ok(!fulfills({ ...needs, renews: true }, wish), 'it only says more')
      for (const sentence of ['event.activity.working', 'event.activity.done', 'event.activity.idle'] as const) assert.ok(!fulfills({ ...needs, sentence }, wish), sentence)
    }
    assert.ok(!fulfills(needs, { kind: 'agent', key: 'agent:n:grace', name: 'Grace' }))
    assert.ok(!fulfills(needs, { kind: 'word', word: 'approve' }))
    assert.ok(!fulfills({ ...needs, group: 'speech', sentence: 'event.said.assistant' }, { kind: 'needs' }))
  })

  it('is kept once', () => {
    assert.deepEqual(readWishes('[{"kind":"needs","key":3}]'), [{ kind: 'needs' }])
  })
})

describe('a browser that notifies only in the background', () => {
  afterEach(() => { for (const name of ['Notification', 'window', 'isSecureContext']) Reflect.deleteProperty(globalThis, name) })

  it('is detected with the first notification, without an error', async () => {
    const Notification = Object.assign(() => { throw new TypeError('Illegal constructor') }, { permission: 'granted' })
    Object.assign(globalThis, { Notification, window: globalThis, isSecureContext: true })
    let emit: (event: TimedEvent, entry: Entry) => void = () => undefined
    const notifier = new Notifier({ listen: (listener: typeof emit) => { emit = listener; return () => undefined } } as unknown as WorldStore)
    await notifier.add({ kind: 'word', word: 'river' })
    assert.equal(notifier.allowed.value, 'granted')
    notifier.listen()
    emit({ kind: 'world:interaction', data: {}, at: 1, past: false }, {
      serial: 1, seq: 1, event: 'world:interaction', group: 'speech', at: 1, key: 'agent:ada', name: 'Ada', sentence: 'event.said.assistant', values: {}, text: 'The river is high',
    })
    assert.equal(notifier.allowed.value, 'denied')
    await notifier.add({ kind: 'word', word: 'sea' })
    assert.equal(notifier.allowed.value, 'denied')
  })
})
