import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeBubbles, tries } from './bubbles.js'
import { overlap } from './geometry.js'
import { placePlates } from './plates.js'
import { direction, fitted, shortened, wrapped } from './prose.js'

const crowd = Array.from({ length: 100 }, (_, i) => {
  const feet = { x: (i % 20) * 50 + 20, y: Math.floor(i / 20) * 45 + 200 }
  return { feet, body: { x: feet.x - 10, y: feet.y - 40, w: 20, h: 40 }, w: 60, h: 17, priority: i === 57 ? 4 : 0, before: null }
})

test('names in a crowd never overlap, and important occupants are named', () => {
  const places = placePlates(crowd, { x: -100, y: 0, w: 1300, h: 600 })
  const boxes = places.flatMap((place) => place === null ? [] : [place.box])
  boxes.forEach((a, i) => { boxes.slice(i + 1).forEach((b) => { assert.ok(!overlap(a, b)) }) })
  assert.notEqual(places[57], null)
  assert.ok(boxes.length > 40, `${boxes.length} of 100 are named`)
})

test('speech never hides a name or other speech', () => {
  const names = placePlates(crowd, { x: -100, y: 0, w: 1300, h: 600 }).flatMap((place) => place === null ? [] : [place.box])
  const wants = crowd.slice(20, 36).map(({ feet }) => ({ head: { x: feet.x, y: feet.y - 40 }, sizes: [{ w: 120, h: 40 }, { w: 60, h: 22 }, { w: 24, h: 20 }], before: null }))
  const places = placeBubbles(wants, names, crowd.map(({ body }) => body), { x: 0, y: 0, w: 1040, h: 600 })
  const boxes = places.flatMap((place) => place === null ? [] : [place.box])
  assert.ok(boxes.length > 12, `${boxes.length} of 16 are placed`)
  for (const box of boxes) for (const name of names) assert.ok(!overlap(box, name))
  boxes.forEach((a, i) => { boxes.slice(i + 1).forEach((b) => { assert.ok(!overlap(a, b)) }) })
})

const room = { x: 0, y: 0, w: 600, h: 600 }
const sizes = [{ w: 100, h: 30 }, { w: 50, h: 22 }, { w: 24, h: 20 }]

test('a bubble keeps its position while that is not much worse', () => {
  const near = { x: -60, y: -50, size: 0 }
  const far = { x: 20, y: -190, size: 0 }
  const placed = (before: typeof near) => placeBubbles([{ head: { x: 300, y: 300 }, sizes, before }], [], [], room)[0]
  assert.deepEqual(placed(near)?.box, { x: 240, y: 250, w: 100, h: 30 })
  assert.deepEqual(placed(far)?.box, { x: 250, y: 263, w: 100, h: 30 })
})

test('a bubble is smaller in little room, and waits without any', () => {
  const walls = (gap: number) => [{ x: 0, y: 0, w: 300 - gap / 2, h: 600 }, { x: 300 + gap / 2, y: 0, w: 300, h: 600 }]
  const placed = (gap: number) => placeBubbles([{ head: { x: 300, y: 300 }, sizes, before: null }], walls(gap), [], room)[0]
  assert.equal(placed(110)?.size, 0)
  assert.equal(placed(60)?.size, 1)
  assert.equal(placed(30)?.size, 2)
  assert.equal(placed(10), null)
})

test('a bubble that does not fit into the view is smaller or waits', () => {
  const placed = (view: typeof room) => placeBubbles([{ head: { x: 30, y: 60 }, sizes: [{ w: 140, h: 90 }, { w: 200, h: 60 }], before: { x: -70, y: -97, size: 0 } }], [], [], view)[0]
  assert.equal(placed({ x: 0, y: 0, w: 300, h: 100 })?.size, 0)
  assert.equal(placed({ x: 0, y: 0, w: 300, h: 80 })?.size, 1)
  assert.equal(placed({ x: 0, y: 0, w: 190, h: 80 }), null)
})

test('a bubble moves aside a little before it is smaller', () => {
  const inTheWay = { x: 255, y: 263, w: 10, h: 5 }
  const [place] = placeBubbles([{ head: { x: 300, y: 300 }, sizes, before: null }], [inTheWay], [], room)
  assert.equal(place?.size, 0)
  assert.notEqual(place.box.x, 250)
})

test('a bubble is never far from its speaker, and always above it', () => {
  for (const { x, y } of tries({ w: 200, h: 80 })) {
    assert.ok(Math.hypot(x + 100, y + 80) < 260, `${x} ${y}`)
    assert.ok(x < 0 && x + 200 > 0, `the head is beside the bubble at ${x}, without a tail`)
  }
})

test('a placed name keeps its position while there is no better one', () => {
  const [, , third] = placePlates([0, 1, 2].map((i) => ({ feet: { x: 100 * i, y: 100 }, body: { x: 100 * i - 10, y: 60, w: 20, h: 40 }, w: 60, h: 17, priority: 0, before: i === 2 ? 4 : null })), { x: -100, y: 0, w: 600, h: 600 })
  assert.equal(third?.slot, 4)
})

const measure = (text: string): number => Array.from(text).length

test('text is broken between words, truncated with an ellipsis, never within a character', () => {
  assert.deepEqual(wrapped('one two three', 7, 3, measure), ['one two', 'three'])
  assert.deepEqual(wrapped('one two three four five', 7, 2, measure), ['one two', 'three…'])
  assert.equal(fitted('👩‍🚀👩‍🚀👩‍🚀', 4, measure), '👩‍🚀…')
})

test('a short name is complete in any script, and a long one keeps as many characters', () => {
  assert.equal(shortened('placement 12', 6, 12, measure), 'placement 12')
  assert.equal(shortened('世界你好旅行者', 6, 12, measure), '世界你好旅行者')
  assert.equal(shortened('placement 123', 6, 12, measure), 'placement 1…')
  assert.equal(shortened('a much longer name', 15, 12, measure), 'a much longer…')
})

test('the first letter determines the direction', () => {
  assert.equal(direction('12 שלום abc'), 'rtl')
  assert.equal(direction('abc שלום'), 'ltr')
})
