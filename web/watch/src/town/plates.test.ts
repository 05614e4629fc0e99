import assert from 'node:assert/strict'
import { it } from 'node:test'
import { placePlates } from './plates.js'

it('a name plate is within the view, also above or below, if there is room', () => {
  const view = { x: 0, y: 0, w: 300, h: 100 }
  const want = { feet: { x: 150, y: 60 }, body: { x: 130, y: 10, w: 40, h: 50 }, w: 60, h: 28, priority: 4, before: null }
  // There are other things at the feet and on both sides, and only the edge above the head.
  const marks = [{ x: 0, y: 62, w: 300, h: 10 }, { x: 0, y: 30, w: 127, h: 10 }, { x: 173, y: 30, w: 127, h: 10 }]
  const [place] = placePlates([want], view, marks)
  assert.ok(place !== undefined && place !== null)
  assert.ok(place.box.y >= 0 && place.box.y + place.box.h <= 102, JSON.stringify(place.box))
})
