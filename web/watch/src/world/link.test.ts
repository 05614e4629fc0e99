import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tokenIn } from '../access/access.js'
import { placeOf } from '../access/place.js'
import { firstLink, goneAfter, nextLink } from './link.js'

describe('the connection', () => {
  it('is live, lost, then the host is unreachable, and live again', () => {
    let link = nextLink(firstLink, { connected: true }, 0)
    assert.equal(link.state, 'live')
    assert.equal(nextLink(link, { connected: true }, 5), link)
    link = nextLink(link, { connected: false, retryAt: 1500 }, 1000)
    assert.deepEqual(link, { state: 'reconnecting', downSince: 1000, retryAt: 1500 })
    assert.equal(nextLink(link, { connected: false, retryAt: 1500 }, 1200), link)
    link = nextLink(link, { connected: false }, 1500)
    assert.deepEqual([link.state, link.retryAt], ['reconnecting', undefined])
    link = nextLink(link, { connected: false, retryAt: 99_000 }, 1000 + goneAfter)
    assert.equal(link.state, 'host-gone')
    assert.equal(link.downSince, 1000)
    assert.deepEqual(nextLink(link, { connected: true }, 2), { state: 'live', downSince: undefined, retryAt: undefined })
  })
})

describe('the address', () => {
  it('states the location of the routes', () => {
    assert.deepEqual(placeOf('/play/watch'), { prefix: '', service: 'play' })
    assert.deepEqual(placeOf('/agent-play/watch'), { prefix: '', service: 'agent-play' })
    assert.deepEqual(placeOf('/a/b/play/watch/'), { prefix: '/a/b', service: 'play' })
  })

  it('may contain a token in its fragment', () => {
    assert.equal(tokenIn('#token=pt_x'), 'pt_x')
    assert.equal(tokenIn('#token='), undefined)
    assert.equal(tokenIn(''), undefined)
  })
})
