import assert from 'node:assert/strict'
import { it } from 'node:test'
import { failed } from './journeys.js'

it('a result says that the tool failed in the usual forms', () => {
  for (const result of ['Error: 503 Service Unavailable', 'error', 'TypeError: x is not a function', 'ValueError("no")', 'Traceback (most recent call last):\n', { isError: true }, { error: 'no' }]) {
    assert.equal(failed(result), true, JSON.stringify(result))
  }
  for (const result of ['4 books', 'errors: 0', 'No error', 'Erroneous', { error: null }, { error: '' }, { isError: false }, null, [], 3]) {
    assert.equal(failed(result), false, JSON.stringify(result))
  }
})
