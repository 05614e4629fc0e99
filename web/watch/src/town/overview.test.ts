import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Camera } from './camera.js'
import { hides } from './overview.js'

const none = { top: 0, right: 0, bottom: 0, left: 0 }

function camera(scale: number, insets = none): Camera {
  const made = new Camera()
  made.resize(400, 300, insets)
  made.setLand({ x: 0, y: 0, w: 1000, h: 800 })
  made.go({ x: 500, y: 400, scale }, 0, true)
  return made
}

describe('the overview', () => {
  it('is hidden if every occupant is in view', () => {
    assert.equal(hides(camera(1), [{ x: 310, y: 260 }, { x: 690, y: 540 }]), false)
  })

  it('is shown if an occupant is out of view', () => {
    assert.equal(hides(camera(1), [{ x: 310, y: 260 }, { x: 710, y: 540 }]), true)
  })

  it('treats an area under a panel as out of view', () => {
    const covered = camera(1, { ...none, right: 200 })
    assert.deepEqual(covered.shown, { x: 400, y: 250, w: 200, h: 300 })
    assert.equal(hides(covered, [{ x: 650, y: 400 }]), true)
  })

  it('shows the land without occupants', () => {
    assert.equal(hides(camera(0.3), []), false)
    assert.equal(hides(camera(1), []), true)
  })
})
