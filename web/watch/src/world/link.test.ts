import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placeOf, tokenIn } from '../access/place.js'
import { backOff, firstLink, goneAfter, nextLink } from './link.js'

describe('the connection', () => {
  it('is live, lost, then the host is gone, and live again', () => {
    let link = nextLink(firstLink, { is: 'opened' })
    assert.equal(link.state, 'live')
    link = nextLink(link, { is: 'lost', now: 1000, retryAt: 1500 })
    assert.deepEqual(link, { state: 'reconnecting', downSince: 1000, attempts: 1, retryAt: 1500 })
    link = nextLink(link, { is: 'trying' })
    assert.equal(link.retryAt, undefined)
    link = nextLink(link, { is: 'lost', now: 1000 + goneAfter, retryAt: 99_000 })
    assert.equal(link.state, 'host-gone')
    assert.equal(link.downSince, 1000)
    assert.deepEqual(nextLink(link, { is: 'opened' }), { state: 'live', downSince: undefined, attempts: 0, retryAt: undefined })
  })

  it('waits longer and longer, up to ten seconds', () => {
    assert.equal(backOff(0, 0), 250)
    assert.equal(backOff(0, 1), 500)
    assert.equal(backOff(99, 1), 10_000)
  })
})

describe('the address', () => {
  it('says where the routes are', () => {
    assert.deepEqual(placeOf('/play/watch'), { prefix: '', service: 'play' })
    assert.deepEqual(placeOf('/agent-play/watch'), { prefix: '', service: 'agent-play' })
    assert.deepEqual(placeOf('/a/b/play/watch/'), { prefix: '/a/b', service: 'play' })
  })

  it('may hold a token in its fragment', () => {
    assert.equal(tokenIn('#token=pt_x'), 'pt_x')
    assert.equal(tokenIn('#token='), undefined)
    assert.equal(tokenIn(''), undefined)
  })
})
