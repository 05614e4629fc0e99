import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseWhole, MOST_WHOLE } from './chosen.js'
import type { Voice } from './chosen.js'

const voice = (since: number, more: Partial<Voice> = {}): Voice => ({ since, marked: false, shown: null, ...more })

test('the newest of many bubbles are shown, up to the limit', () => {
  const voices = Array.from({ length: 20 }, (_, i) => voice(i))
  assert.deepEqual(chooseWhole(voices, MOST_WHOLE, 100).map(({ since }) => since), [19, 18, 17, 16, 15, 14, 13, 12])
  assert.deepEqual(chooseWhole(voices, 0, 100), [])
})

test('the bubble of the selected occupant is shown, however old it is', () => {
  const old = voice(1, { marked: true })
  assert.equal(chooseWhole([voice(7), voice(8), old, voice(9)], 2, 100)[0], old)
})

test('a bubble stays for its reading time, then newer ones replace it', () => {
  const read = voice(1, { shown: 1 })
  const fresh = [voice(3000), voice(3001)]
  assert.deepEqual(chooseWhole([...fresh, read], 2, 3001), [read, fresh[1]])
  assert.deepEqual(chooseWhole([...fresh, read], 2, 4001), [fresh[1], fresh[0]])
})
