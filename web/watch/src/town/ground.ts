import { nth } from './geometry.js'
import type { Box, Point } from './geometry.js'
import type { Palette } from './palette.js'
import { drawScenery } from './plants.js'
import { sceneryIn } from './scenery.js'
import { onGround } from './streets.js'
import type { Streets } from './streets.js'
import { CELL, chance, COAST, PIER, toGround } from './terrain.js'
import type { TownBounds } from './types.js'

type Draw = CanvasRenderingContext2D

/** The greatest number of points at which the coast is sampled, however large the island is. */
const COAST_POINTS = 700

/** Returns the coastline: the bounds with round corners and bays, closed. */
export function coast(bounds: TownBounds): Point[] {
  const reach = COAST - 0.45
  const left = bounds.minX - reach
  const top = bounds.minY - reach
  const w = bounds.maxX - bounds.minX + 2 * reach
  const h = bounds.maxY - bounds.minY + 2 * reach
  const round = Math.min(2.1, w / 2, h / 2)
  const length = 2 * (w + h)
  const count = Math.min(COAST_POINTS, Math.ceil(length / 0.75))
  return Array.from({ length: count }, (_, i) => {
    const at = (i / count) * length
    let x = left + Math.min(Math.max(at < w ? at : at < w + h ? w : at < 2 * w + h ? 2 * w + h - at : 0, 0), w)
    let y = top + Math.min(Math.max(at < w ? 0 : at < w + h ? at - w : at < 2 * w + h ? h : length - at, 0), h)
    const cx = Math.min(Math.max(x, left + round), left + w - round)
    const cy = Math.min(Math.max(y, top + round), top + h - round)
    const far = Math.hypot(x - cx, y - cy)
    const bay = 0.16 * Math.sin(at * 0.83 + 1) + 0.11 * Math.sin(at * 1.9) + 0.1 * Math.sin((i / count) * Math.PI * 14)
    if (far > 0) {
      x = cx + ((x - cx) / far) * (round + bay)
      y = cy + ((y - cy) / far) * (round + bay)
    }
    return toGround(x, y)
  })
}

/** Returns a smooth closed line through the midpoints of the sides of a polygon. */
function smooth(points: readonly Point[]): Path2D {
  const path = new Path2D()
  points.forEach((point, i) => {
    const next = points[(i + 1) % points.length] ?? point
    const x = (point.x + next.x) / 2
    const y = (point.y + next.y) / 2
    if (i === 0) path.moveTo(x, y)
    else path.quadraticCurveTo(point.x, point.y, x, y)
  })
  const first = points[0]
  const second = points[1]
  if (first !== undefined && second !== undefined) {
    path.quadraticCurveTo(first.x, first.y, (first.x + second.x) / 2, (first.y + second.y) / 2)
  }
  path.closePath()
  return path
}

function polyline(points: readonly Point[]): Path2D {
  const path = new Path2D()
  points.forEach((point, i) => { if (i === 0) path.moveTo(point.x, point.y); else path.lineTo(point.x, point.y) })
  return path
}

/**
 * Paints the island without its occupants, for a small picture.
 * @param pixel Ground units per CSS pixel: the sand remains visible however small the picture is.
 */
export function paintIsland(c: Draw, bounds: TownBounds, p: Palette, pixel: number): void {
  const shore = smooth(coast(bounds))
  c.lineJoin = 'round'
  c.strokeStyle = p.shallow
  c.lineWidth = Math.max(92, 8 * pixel)
  c.stroke(shore)
  c.fillStyle = p.grass
  c.fill(shore)
  c.strokeStyle = p.sand
  c.lineWidth = Math.max(20, 2 * pixel)
  c.stroke(shore)
}

/** Paints the part of the land that a box on the ground shows. The context is in ground units. */
export function paintGround(c: Draw, seen: Box, bounds: TownBounds, streets: Streets, p: Palette): void {
  c.fillStyle = p.sea
  c.fillRect(seen.x, seen.y, seen.w, seen.h)
  const shore = smooth(coast(bounds))
  c.lineJoin = 'round'
  c.lineCap = 'round'
  paintWater(c, shore, p)
  paintPier(c, bounds, streets, p)
  c.fillStyle = p.grass
  c.fill(shore)
  c.strokeStyle = p.sand
  c.lineWidth = 20
  c.stroke(shore)
  paintLawns(c, seen, bounds, streets, p)
  paintStreets(c, seen, bounds, streets, p)
  paintPlaza(c, streets, p)
  for (const thing of sceneryIn(seen, bounds, streets)) drawScenery(c, thing, p)
}

function paintWater(c: Draw, shore: Path2D, p: Palette): void {
  c.strokeStyle = p.shallow
  c.globalAlpha = 0.5
  c.lineWidth = 150
  c.stroke(shore)
  c.globalAlpha = 1
  c.lineWidth = 92
  c.stroke(shore)
  c.strokeStyle = p.foam
  c.lineWidth = 43
  c.stroke(shore)
  c.strokeStyle = p.shallow
  c.lineWidth = 39
  c.stroke(shore)
  c.strokeStyle = p.foam
  c.lineWidth = 25
  c.stroke(shore)
}

/** Returns the visible ranges between street lines and both ends of the land. */
function blocks(values: readonly number[], least: number, most: number, from: number, to: number): [number, number][] {
  const ends = [least - 0.55, ...values, most + 0.55]
  const out: [number, number][] = []
  for (let i = 0; i + 1 < ends.length; i++) {
    const a = nth(ends, i)
    const b = nth(ends, i + 1)
    if (b > from && a < to) out.push([a, b])
  }
  return out
}

function paintLawns(c: Draw, seen: Box, bounds: TownBounds, streets: Streets, p: Palette): void {
  const fromX = seen.x / CELL.w - 1
  const toX = (seen.x + seen.w) / CELL.w + 1
  const fromY = seen.y / CELL.h - 1
  const toY = (seen.y + seen.h) / CELL.h + 1
  for (const [left, right] of blocks(streets.xs, bounds.minX, bounds.maxX, fromX, toX)) {
    for (const [top, bottom] of blocks(streets.ys, bounds.minY, bounds.maxY, fromY, toY)) {
      const tone = Math.floor(chance(Math.round(left), Math.round(top), 9) * p.lawns.length)
      c.fillStyle = p.lawns[tone] ?? p.grass
      c.fill(smooth(onGround([
        { x: left, y: top }, { x: right, y: top }, { x: right, y: bottom }, { x: left, y: bottom }, { x: left, y: top },
      ])))
    }
  }
}

function streetPaths(seen: Box, bounds: TownBounds, streets: Streets): Path2D[] {
  const from = { x: Math.max(bounds.minX - 0.85, seen.x / CELL.w - 2), y: Math.max(bounds.minY - 0.85, seen.y / CELL.h - 2) }
  const to = { x: Math.min(bounds.maxX + 0.85, (seen.x + seen.w) / CELL.w + 2), y: Math.min(bounds.maxY + 0.85, (seen.y + seen.h) / CELL.h + 2) }
  const paths: Path2D[] = []
  for (const x of streets.xs) if (x > from.x && x < to.x) paths.push(polyline(onGround([{ x, y: from.y }, { x, y: to.y }])))
  for (const y of streets.ys) if (y > from.y && y < to.y) paths.push(polyline(onGround([{ x: from.x, y }, { x: to.x, y }])))
  return paths
}

function paintStreets(c: Draw, seen: Box, bounds: TownBounds, streets: Streets, p: Palette): void {
  const paths = streetPaths(seen, bounds, streets)
  c.strokeStyle = p.streetEdge
  c.lineWidth = 21
  for (const path of paths) c.stroke(path)
  c.strokeStyle = p.street
  c.lineWidth = 17
  for (const path of paths) c.stroke(path)
  c.strokeStyle = p.streetEdge
  c.globalAlpha = 0.55
  c.lineWidth = 1.6
  c.setLineDash([5, 11])
  for (const path of paths) c.stroke(path)
  c.setLineDash([])
  c.globalAlpha = 1
}

function disc(c: Draw, at: Point, rx: number, ry: number, fill: string, edge = ''): void {
  c.beginPath()
  c.ellipse(at.x, at.y, rx, ry, 0, 0, Math.PI * 2)
  c.fillStyle = fill
  c.fill()
  if (edge !== '') {
    c.strokeStyle = edge
    c.lineWidth = 1.5
    c.stroke()
  }
}

function paintPlaza(c: Draw, streets: Streets, p: Palette): void {
  const at = toGround(streets.plaza.x, streets.plaza.y)
  disc(c, at, 43, 39, p.street, p.streetEdge)
  c.strokeStyle = p.streetEdge
  c.lineWidth = 1.4
  for (const r of [34, 26]) {
    c.setLineDash([6, 3])
    c.beginPath()
    c.ellipse(at.x, at.y, r, r * 0.9, 0, 0, Math.PI * 2)
    c.stroke()
  }
  c.setLineDash([])
  disc(c, { x: at.x + 1, y: at.y + 3 }, 18, 14, p.shadow)
  disc(c, at, 17, 13.5, p.stone, p.streetEdge)
  disc(c, at, 13, 9.8, p.water, p.streetEdge)
  c.strokeStyle = p.foam
  for (const r of [9, 5.5]) {
    c.beginPath()
    c.ellipse(at.x, at.y, r, r * 0.74, 0, 0, Math.PI * 2)
    c.stroke()
  }
  disc(c, { x: at.x, y: at.y - 2 }, 3.4, 2.6, p.stone, p.streetEdge)
  disc(c, { x: at.x, y: at.y - 5 }, 2, 3.6, p.dark ? p.foam : '#ffffff')
}

/** Paints a pier in the east, where the middle street meets the water, and a boat. */
function paintPier(c: Draw, bounds: TownBounds, streets: Streets, p: Palette): void {
  const from = toGround(bounds.maxX + 0.8, streets.plaza.y)
  const to = toGround(bounds.maxX + PIER, streets.plaza.y)
  c.strokeStyle = p.shadow
  c.lineWidth = 17
  c.lineCap = 'butt'
  c.stroke(polyline([{ x: from.x, y: from.y + 4 }, { x: to.x, y: to.y + 4 }]))
  c.strokeStyle = p.wood
  c.lineWidth = 15
  c.stroke(polyline([from, to]))
  c.strokeStyle = p.dark ? '#42372c' : '#7f5f3d'
  c.lineWidth = 15
  c.setLineDash([1.2, 5.5])
  c.stroke(polyline([from, to]))
  c.setLineDash([])
  c.lineCap = 'round'
  const boat = { x: to.x - 14, y: to.y + 25 }
  disc(c, { x: boat.x, y: boat.y + 2 }, 20, 8.5, p.shadow)
  c.beginPath()
  c.moveTo(boat.x - 18, boat.y - 5)
  c.quadraticCurveTo(boat.x, boat.y - 10, boat.x + 22, boat.y)
  c.quadraticCurveTo(boat.x, boat.y + 10, boat.x - 18, boat.y + 5)
  c.closePath()
  c.fillStyle = p.dark ? '#7d4a3c' : '#b9573f'
  c.fill()
  disc(c, { x: boat.x - 2, y: boat.y }, 12, 4, p.dark ? '#4a3a30' : '#e9d4ae')
  c.strokeStyle = p.wood
  c.lineWidth = 2
  c.stroke(polyline([{ x: boat.x - 3, y: boat.y - 4 }, { x: boat.x - 3, y: boat.y + 4 }]))
}
