import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeBubbles } from './bubbles.js'
import { overlap } from './geometry.js'
import { placePlates } from './plates.js'
import { direction, fitted, wrapped } from './prose.js'

const crowd = Array.from({ length: 100 }, (_, i) => {
  const feet = { x: (i % 20) * 50 + 20, y: Math.floor(i / 20) * 45 + 200 }
  return { feet, body: { x: feet.x - 10, y: feet.y - 40, w: 20, h: 40 }, w: 60, h: 17, priority: i === 57 ? 4 : 0 }
})

test('names in a crowd never overlap, and who matters is named', () => {
  const places = placePlates(crowd)
  const boxes = places.flatMap((place) => place === null ? [] : [place.box])
  boxes.forEach((a, i) => { boxes.slice(i + 1).forEach((b) => { assert.ok(!overlap(a, b)) }) })
  assert.notEqual(places[57], null)
  assert.ok(boxes.length > 40, `${boxes.length} of 100 are named`)
})

test('speech never hides a name or other speech', () => {
  const names = placePlates(crowd).flatMap((place) => place === null ? [] : [place.box])
  const wants = crowd.slice(20, 36).map(({ feet }) => ({ head: { x: feet.x, y: feet.y - 40 }, w: 120, h: 40, before: null }))
  const places = placeBubbles(wants, names, crowd.map(({ body }) => body), { x: 0, y: 0, w: 1040, h: 600 })
  const boxes = places.filter((box) => box !== null)
  assert.ok(boxes.length > 3)
  for (const box of boxes) for (const name of names) assert.ok(!overlap(box, name))
  boxes.forEach((a, i) => { boxes.slice(i + 1).forEach((b) => { assert.ok(!overlap(a, b)) }) })
})

test('a bubble stays where it was while it can', () => {
  const want = { head: { x: 300, y: 300 }, w: 100, h: 30, before: { x: 20, y: -90 } }
  const [box] = placeBubbles([want], [], [], { x: 0, y: 0, w: 600, h: 600 })
  assert.deepEqual(box, { x: 320, y: 210, w: 100, h: 30 })
})

const measure = (text: string): number => Array.from(text).length

test('text is broken between words, cut with an ellipsis, and no character is torn', () => {
  assert.deepEqual(wrapped('one two three', 7, 3, measure), ['one two', 'three'])
  assert.deepEqual(wrapped('one two three four five', 7, 2, measure), ['one two', 'three…'])
  assert.equal(fitted('👩‍🚀👩‍🚀👩‍🚀', 4, measure), '👩‍🚀…')
})

test('the first letter decides the direction', () => {
  assert.equal(direction('12 שלום abc'), 'rtl')
  assert.equal(direction('abc שלום'), 'ltr')
})
