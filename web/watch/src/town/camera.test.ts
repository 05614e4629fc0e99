import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Camera } from './camera.js'
import type { Box } from './geometry.js'
import { islandBox, PIER, toCells, toGround } from './terrain.js'

const bounds = { minX: 0, minY: 0, maxX: 19, maxY: 11 }
const land = islandBox(bounds)
const none = { top: 0, right: 0, bottom: 0, left: 0 }

function cameraIn(width: number, height: number, insets = none, seen: Box = land): Camera {
  const camera = new Camera()
  camera.resize(width, height, insets)
  camera.setLand(seen)
  return camera
}

describe('the camera', () => {
  it('fits the town with its coast and its pier into the area without panels', () => {
    for (const [width, height, insets] of [
      [1440, 900, { top: 64, right: 12, bottom: 12, left: 356 }],
      [390, 420, { top: 64, right: 12, bottom: 34, left: 12 }],
      [390, 844, none],
    ] as const) {
      const camera = cameraIn(width, height, insets)
      camera.go(camera.fitted({ x: 0, y: 0 }), 0, true)
      const { x, y, w, h } = camera.free
      const corners = [toGround(-1.55, -1.55), toGround(bounds.maxX + PIER, 5.5), toGround(4, bounds.maxY + 1.55)]
      for (const corner of corners) {
        const at = { x: camera.screenX(corner.x), y: camera.screenY(corner.y) }
        assert.ok(at.x >= x && at.x <= x + w && at.y >= y && at.y <= y + h, `${at.x} ${at.y} in ${width} x ${height}`)
      }
    }
  })

  it('shows the part around an occupant if the land is too large to read', () => {
    const camera = cameraIn(800, 600, none, { x: 0, y: 0, w: 100_000, h: 100_000 })
    camera.go(camera.fitted({ x: 50_000, y: 99_990 }), 0, true)
    assert.equal(camera.scale, 0.2)
    assert.equal(camera.x, 50_000)
    assert.ok(Math.abs(camera.screenY(100_000) - 600) < 1, 'the view extends beyond the edge')
  })

  it('zooms in on the occupants, with room for speech, up to a limit', () => {
    const camera = cameraIn(1440, 900, { top: 64, right: 12, bottom: 12, left: 356 })
    const part = { x: 300, y: 200, w: 500, h: 300 }
    const view = camera.around(part)
    assert.ok(view.scale > camera.fitted({ x: 0, y: 0 }).scale)
    camera.go(view, 0, true)
    for (const corner of [{ x: 300, y: 200 }, { x: 800, y: 500 }]) assert.ok(camera.holds(corner) || camera.scale === 1.3)
    assert.equal(camera.around({ x: 300, y: 200, w: 0, h: 0 }).scale, 1.3)
    assert.deepEqual(camera.around(land), camera.fitted({ x: 0, y: 0 }), 'the view of occupants everywhere is not the whole land')
  })

  it('zooms about a point, which keeps its ground, within limits', () => {
    const camera = cameraIn(1000, 700)
    camera.go({ x: 600, y: 300, scale: 1 }, 0, true)
    const about = { x: 700, y: 200 }
    const ground = camera.ground(about)
    camera.zoom(1.7, about)
    assert.ok(Math.abs(camera.screenX(ground.x) - about.x) < 1e-9 && Math.abs(camera.screenY(ground.y) - about.y) < 1e-9)
    assert.equal(camera.scale, 1.7)
    camera.zoom(1000, about)
    assert.equal(camera.scale, 4)
    camera.zoom(1e-6, about)
    assert.ok(camera.scale > 0.1 && camera.scale <= 0.2)
  })

  it('pans by pixels, and keeps its center on the land', () => {
    const camera = cameraIn(1000, 700)
    camera.go({ x: 600, y: 300, scale: 2 }, 0, true)
    camera.pan(-100, 40)
    assert.deepEqual([camera.x, camera.y], [650, 280])
    camera.pan(1e7, 1e7)
    assert.deepEqual([camera.x, camera.y], [land.x, land.y])
  })

  it('glides to a view until the map is touched', () => {
    const camera = cameraIn(1000, 700)
    camera.go({ x: 0, y: 0, scale: 1 }, 0, true)
    camera.go({ x: 400, y: 200, scale: 2 }, 1000, false)
    camera.step(1200)
    assert.ok(camera.x > 0 && camera.x < 400 && camera.gliding)
    assert.equal(camera.step(5000), false)
    assert.deepEqual([camera.x, camera.y, camera.scale], [400, 200, 2])
    camera.go({ x: 0, y: 0, scale: 1 }, 6000, false)
    camera.pan(10, 0)
    assert.equal(camera.step(6100), false)
    assert.equal(camera.scale, 2)
  })

  it('maps a point of the ground back to its point of the window', () => {
    const camera = cameraIn(900, 500, { top: 10, right: 200, bottom: 30, left: 40 })
    camera.go({ x: 123, y: 45, scale: 0.8 }, 0, true)
    const { x, y } = camera.ground({ x: 321, y: 234 })
    assert.ok(Math.abs(camera.screenX(x) - 321) < 1e-9 && Math.abs(camera.screenY(y) - 234) < 1e-9)
  })
})

it('the camera holds an occupant that is fully visible in the free area', () => {
  const camera = cameraIn(1280, 800, { top: 64, right: 408, bottom: 12, left: 356 })
  camera.go({ x: 600, y: 300, scale: 1 }, 0, true)
  assert.ok(camera.holds({ x: 600, y: 300 }))
  const edge = camera.ground({ x: 300, y: 400 })
  assert.ok(!camera.holds(edge), 'under a panel')
  assert.ok(!camera.holds(camera.ground({ x: 600, y: 100 })), 'with the head out of view')
  camera.go(camera.at(edge, 0), 0, true)
  assert.ok(camera.holds(edge))
})

it('the camera follows a walking occupant, as far as necessary', () => {
  const camera = cameraIn(1000, 500)
  camera.go({ x: 600, y: 300, scale: 1 }, 0, true)
  camera.keepIn({ x: 700, y: 250 })
  assert.deepEqual([camera.x, camera.y], [600, 300], 'the camera moved for the inner part of the window')
  camera.keepIn({ x: 900, y: 100 })
  assert.deepEqual([camera.x, camera.y], [700, 174])
  camera.go({ x: 0, y: 0, scale: 1 }, 0, false)
  camera.keepIn({ x: 0, y: 0 })
  assert.deepEqual([camera.x, camera.y], [700, 174], 'the glide did not finish first')
})

it('a position on the ground has its point on the map', () => {
  for (const [x, y] of [[0, 0], [0.16, 0.26], [7.4, 3.9], [-1.5, 12.2], [4000, 9000.5]] as const) {
    const at = toCells(toGround(x, y))
    assert.ok(Math.abs(at.x - x) < 0.001 && Math.abs(at.y - y) < 0.001, `${x} ${y} is ${at.x} ${at.y}`)
  }
})
