import assert from 'node:assert/strict'
import { it } from 'node:test'
import { failed, readSteps, tookOf } from './journeys.js'

it('a result says that the tool failed in the usual forms', () => {
  for (const result of ['Error: 503 Service Unavailable', 'error', 'TypeError: x is not a function', 'ValueError("no")', 'Traceback (most recent call last):\n', { isError: true }, { error: 'no' }]) {
    assert.equal(failed(result), true, JSON.stringify(result))
  }
  for (const result of ['4 books', 'errors: 0', 'No error', 'Erroneous', { error: null }, { error: '' }, { isError: false }, null, [], 3]) {
    assert.equal(failed(result), false, JSON.stringify(result))
  }
})

it('a step has its duration and its error, if they are recorded', () => {
  const at = { startedAt: '2026-01-02T03:04:05.000Z', completedAt: '2026-01-02T03:04:07.400Z' }
  const back = { startedAt: at.completedAt, completedAt: at.startedAt }
  const [whole, bare, wrong, reversed] = readSteps([{ ...at, error: 'No route' }, {}, { startedAt: 'soon', completedAt: 7, error: {} }, back])
  assert.deepEqual([whole, bare, wrong, reversed].map((step) => step && [tookOf(step), step.error]), [[2400, 'No route'], [undefined, ''], [undefined, ''], [0, '']])
})
