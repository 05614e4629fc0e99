import type { Camera } from './camera.js'
import type { Item } from './display.js'
import type { Box, Point } from './geometry.js'
import { grown } from './geometry.js'
import { COATS, lookOf } from './look.js'
import type { Palette } from './palette.js'
import { shade } from './palette.js'
import type { Resident } from './residents.js'
import type { Streets } from './streets.js'
import { onGround, rounded, route } from './streets.js'
import { toGround } from './terrain.js'
import type { TownPathStep } from './types.js'
import { marksAlong } from './walk.js'

/** The maximum number of drawn stations of a trail. */
const STATIONS = 40

interface Trail {
  /** The streets that it follows: other streets need another trail. */
  readonly streets: Streets
  readonly prints: Path2D
  /** The box of the prints, in ground units. */
  readonly box: Box
  readonly stations: readonly { readonly at: Point; readonly label: string }[]
}

const made = new WeakMap<readonly TownPathStep[], Trail>()

/** Returns the footprints from station to station, and the numbers of the steps at each. */
function trailOf(path: readonly TownPathStep[], streets: Streets): Trail {
  const known = made.get(path)
  if (known?.streets === streets) return known
  const stations = new Map<string, { at: Point; cell: Point; steps: number[] }>()
  const prints = new Path2D()
  const ways: Point[] = []
  let before: Point | null = null
  path.slice(0, STATIONS).forEach((step, i) => {
    const cell = { x: step.x + 0.16, y: step.y + 0.36 }
    const key = `${step.x} ${step.y}`
    const station = stations.get(key) ?? { at: toGround(cell.x, cell.y), cell, steps: [] }
    station.steps.push(i + 1)
    stations.set(key, station)
    if (before !== null && (before.x !== cell.x || before.y !== cell.y)) {
      const way = onGround(rounded(route(before, cell, streets)))
      ways.push(...way)
      print(prints, way)
    }
    before = cell
  })
  const trail = {
    streets, prints, box: boxOf(ways),
    stations: [...stations.values()].map(({ at, steps }) => ({ at, label: steps.length > 3 ? `${steps[0] ?? ''}…${steps.at(-1) ?? ''}` : steps.join(' · ') })),
  }
  made.set(path, trail)
  return trail
}

function boxOf(points: readonly Point[]): Box {
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const x = Math.min(...xs, Infinity)
  const y = Math.min(...ys, Infinity)
  return points.length === 0 ? { x: 0, y: 0, w: 0, h: 0 } : grown({ x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y }, 6)
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

/** The sign with the number of a station, in CSS pixels. */
export interface Sign {
  readonly label: string
  readonly box: Box
  readonly color: Coat
}

/** Returns the font of the numbers; size is a multiple of the usual one. */
const fontOf = (size: number): string => `700 ${11 * size}px system-ui, sans-serif`
/** Cached widths of numbers at the usual size, in CSS pixels: there are few different numbers. */
const widths = new Map<string, number>()

/** Returns the footprints of a resident's journey, in the color of its coat. */
export function printsOf(camera: Camera, streets: Streets, { key, row, path }: Resident, p: Palette): Item[] {
  if (row.kind !== 'agent' || path.length === 0) return []
  const trail = trailOf(path, streets)
  const { x, y, w, h } = trail.box
  const { scale } = camera
  return [{
    name: `prints ${key}`, looks: [trail, p], box: { x: camera.screenX(x), y: camera.screenY(y), w: w * scale, h: h * scale },
    draw: (c) => {
      c.save()
      c.translate(camera.screenX(0), camera.screenY(0))
      c.scale(scale, scale)
      c.fillStyle = tint(coatOf(row.agentId), p)
      c.fill(trail.prints)
      c.restore()
    },
  }]
}

/** Returns the signs of a resident's stations; the letter size is a multiple of the usual one. */
export function signsOf(c: CanvasRenderingContext2D, camera: Camera, streets: Streets, { row, path }: Resident, size: number): Sign[] {
  if (row.kind !== 'agent' || path.length === 0) return []
  const color = coatOf(row.agentId)
  c.font = fontOf(1)
  return trailOf(path, streets).stations.map(({ at, label }) => {
    const w = Math.max(18, width(c, label) + 11) * size
    return { label, color, box: { x: camera.screenX(at.x) + 14 * camera.scale + 4, y: camera.screenY(at.y) - 13 * size, w, h: 18 * size } }
  })
}

/** Returns the items of a resident's signs; the letter size is a multiple of the usual one. */
export function itemsOf(signs: readonly Sign[], of: string, p: Palette, size: number): Item[] {
  return signs.map(({ label, box, color }, i) => ({
    name: `sign ${i} ${of}`, looks: [label, color, p], box: grown(box, 1),
    draw: (c) => {
      const { x, y, w, h } = box
      c.font = fontOf(size)
      c.textAlign = 'center'
      c.textBaseline = 'middle'
      c.strokeStyle = p.paper
      c.lineWidth = 2
      c.fillStyle = tint(color, p)
      c.beginPath()
      c.roundRect(x, y, w, h, h / 2)
      c.fill()
      c.stroke()
      c.fillStyle = p.dark ? '#14171f' : '#ffffff'
      c.fillText(label, x + w / 2, y + h / 2 + 0.5)
    },
  }))
}

function width(c: CanvasRenderingContext2D, label: string): number {
  const known = widths.get(label)
  if (known !== undefined) return known
  const { width: measured } = c.measureText(label)
  if (widths.size > 500) widths.clear()
  widths.set(label, measured)
  return measured
}

type Coat = (typeof COATS)[number]

function coatOf(agentId: string): Coat {
  return COATS[lookOf(agentId).coat] ?? COATS[0]
}

function tint(coat: Coat, p: Palette): string {
  return shade(coat, p.dark ? 0.25 : -0.25)
}
