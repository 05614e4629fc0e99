import type { Camera } from './camera.js'
import type { Point } from './geometry.js'
import { COATS, lookOf } from './look.js'
import type { Palette } from './palette.js'
import { shade } from './palette.js'
import type { Resident } from './residents.js'
import type { Streets } from './streets.js'
import { onGround, rounded, route } from './streets.js'
import { toGround } from './terrain.js'
import type { TownPathStep } from './types.js'
import { marksAlong } from './walk.js'

/** The stations of a trail that are drawn. */
const STATIONS = 40

interface Trail {
  readonly prints: Path2D
  readonly stations: readonly { readonly at: Point; readonly label: string }[]
}

const made = new WeakMap<readonly TownPathStep[], Trail>()

/** Footprints from station to station, and the numbers of the steps at each. */
function trailOf(path: readonly TownPathStep[], streets: Streets): Trail {
  const known = made.get(path)
  if (known !== undefined) return known
  const stations = new Map<string, { at: Point; cell: Point; steps: number[] }>()
  const prints = new Path2D()
  let before: Point | null = null
  path.slice(0, STATIONS).forEach((step, i) => {
    const cell = { x: step.x + 0.16, y: step.y + 0.36 }
    const key = `${step.x} ${step.y}`
    const station = stations.get(key) ?? { at: toGround(cell.x, cell.y), cell, steps: [] }
    station.steps.push(i + 1)
    stations.set(key, station)
    if (before !== null && (before.x !== cell.x || before.y !== cell.y)) print(prints, onGround(rounded(route(before, cell, streets))))
    before = cell
  })
  const trail = {
    prints,
    stations: [...stations.values()].map(({ at, steps }) => ({ at, label: steps.length > 3 ? `${steps[0] ?? ''}…${steps.at(-1) ?? ''}` : steps.join(' · ') })),
  }
  made.set(path, trail)
  return trail
}

function print(prints: Path2D, points: readonly Point[]): void {
  marksAlong(points, 10).forEach(({ x, y, dx, dy }, i) => {
    const side = i % 2 === 0 ? 2.4 : -2.4
    const left = x - dy * side
    const top = y + dx * side
    prints.moveTo(left + 1.9, top)
    prints.arc(left, top, 1.9, 0, Math.PI * 2)
  })
}

/** Draws the trail of somebody's journey in the colour of its coat. */
export function drawTrail(c: CanvasRenderingContext2D, camera: Camera, streets: Streets, { row, path }: Resident, p: Palette): void {
  if (row.kind !== 'agent' || path.length === 0) return
  const { prints, stations } = trailOf(path, streets)
  const coat = COATS[lookOf(row.agentId).coat] ?? COATS[0]
  const colour = shade(coat, p.dark ? 0.25 : -0.25)
  c.save()
  c.translate(camera.screenX(0), camera.screenY(0))
  c.scale(camera.scale, camera.scale)
  c.fillStyle = colour
  c.fill(prints)
  c.restore()
  c.font = '700 11px system-ui, sans-serif'
  c.textAlign = 'center'
  c.textBaseline = 'middle'
  for (const { at, label } of stations) {
    const x = camera.screenX(at.x) + 20 * camera.scale
    const y = camera.screenY(at.y) - 4
    const w = Math.max(18, c.measureText(label).width + 11)
    c.fillStyle = colour
    c.strokeStyle = p.paper
    c.lineWidth = 2
    c.beginPath()
    c.roundRect(x - w / 2, y - 9, w, 18, 9)
    c.fill()
    c.stroke()
    c.fillStyle = p.dark ? '#14171f' : '#ffffff'
    c.fillText(label, x, y + 0.5)
  }
}
