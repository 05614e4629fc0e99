import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { COATS, lookOf, TRAITS } from './look.js'
import type { Look } from './look.js'

// From build/src/town, where the tests run, to the root of the repository.
const known = JSON.parse(
  readFileSync(new URL('../../../../../internal/render/testdata/looks.json', import.meta.url), 'utf8'),
) as { coats: { rgb: string }[]; looks: (Look & { id: string })[] }

test('figures are the same as in terminals and other pages', () => {
  assert.ok(known.looks.length >= COATS.length)
  for (const { id, ...look } of known.looks) assert.deepEqual(lookOf(id), look, id)
})

test('coats have the colors of terminals', () => {
  assert.deepEqual(known.coats.map((coat) => coat.rgb), [...COATS])
})

test('a hundred ids that differ in one character are distinguished', () => {
  const ids = Array.from({ length: 100 }, (_, i) => `agent-${i}`)
  const seen = new Set(ids.map((id) => {
    const { coat, head, pattern, skin, trim } = lookOf(id)
    return [coat, head, pattern, skin, trim].join()
  }))
  assert.ok(seen.size >= 99, `${seen.size} of 100 differ`)
})

test('every trait occurs', () => {
  const looks = Array.from({ length: 400 }, (_, i) => lookOf(`somebody ${i}`))
  for (const [trait, count] of Object.entries(TRAITS)) {
    const worn = new Set(looks.map((look) => look[trait as keyof typeof TRAITS]))
    assert.equal(worn.size, count, trait)
  }
})
