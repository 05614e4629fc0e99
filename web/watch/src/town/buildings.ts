import { COATS } from './look.js'
import type { Palette } from './palette.js'
import { shade } from './palette.js'

/** The extents of buildings on the ground, from the middle of their cell, in ground units. */
export const COTTAGE = { left: -27, top: -45, width: 54, height: 62 } as const
export const BEACON = { left: -26, top: -66, width: 52, height: 88 } as const
export const HALL = { left: -38, top: -62, width: 76, height: 86 } as const

type Draw = CanvasRenderingContext2D

/** Fills a closed polygon and draws its edge. */
function face(c: Draw, points: readonly (readonly [number, number])[], fill: string, edge: string): void {
  c.beginPath()
  points.forEach(([x, y], i) => { if (i === 0) c.moveTo(x, y); else c.lineTo(x, y) })
  c.closePath()
  c.fillStyle = fill
  c.fill()
  c.strokeStyle = edge
  c.lineWidth = 1.1
  c.lineJoin = 'round'
  c.stroke()
}

function shadowUnder(c: Draw, p: Palette, rx: number, ry: number, x: number, y: number): void {
  c.fillStyle = p.shadow
  c.beginPath()
  c.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2)
  c.fill()
}

function lit(c: Draw, p: Palette, x: number, y: number, w: number, h: number): void {
  c.fillStyle = p.window
  c.strokeStyle = p.outline
  c.lineWidth = 0.9
  c.beginPath()
  c.roundRect(x, y, w, h, 1.2)
  c.fill()
  c.stroke()
}

/** The home of an agent: its roof has the color of the coat; three forms. */
export function drawCottage(c: Draw, coat: number, form: number, p: Palette): void {
  const color = COATS[coat] ?? COATS[0]
  const roof = p.dark ? shade(color, -0.28) : shade(color, 0.08)
  const edge = p.dark ? p.outline : shade(color, -0.5)
  shadowUnder(c, p, 24, 7, 1, 8)
  face(c, [[-18, 8], [-18, -14], [14, -14], [14, 8]], p.wall, p.outline)
  face(c, [[6, 8], [6, -14], [14, -14], [14, 8]], p.wallShade, p.wallShade)
  lit(c, p, -14, -7, 7, 7)
  c.fillStyle = p.wood
  c.beginPath()
  c.roundRect(-3.5, -5, 7.5, 13, [3.5, 3.5, 0, 0])
  c.fill()
  if (form !== 1) face(c, [[7, -24], [7, -35], [11, -35], [11, -21]], p.wallShade, p.outline)
  const ridge = form === 2 ? -34 : -30
  face(c, [[-22, -12], [-13, ridge], [10, ridge], [18, -12]], roof, edge)
  c.strokeStyle = edge
  c.globalAlpha = 0.32
  c.lineWidth = 1
  c.beginPath()
  for (const share of [0.36, 0.68]) {
    const y = ridge + (-12 - ridge) * share
    c.moveTo(-13 - 9 * share, y)
    c.lineTo(10 + 8 * share, y)
  }
  c.stroke()
  c.globalAlpha = 1
  if (form === 2) lit(c, p, -5, ridge + 8, 6, 6)
}

/** An MCP placement: a beacon with a lozenge-shaped lamp, in the terminal's cyan; three forms. */
export function drawBeacon(c: Draw, form: number, p: Palette): void {
  const cyan = ['#1fa3ad', '#2595b8', '#1f9f92'][form] ?? '#1fa3ad'
  const edge = shade(cyan, -0.5)
  shadowUnder(c, p, 21, 7, 2, 13)
  face(c, [[-18, 11], [-14, 4], [14, 4], [18, 11], [12, 17], [-12, 17]], p.stone, p.outline)
  face(c, [[-9, 10], [-6.5, -26], [6.5, -26], [9, 10]], p.wall, p.outline)
  c.save()
  c.beginPath()
  c.moveTo(-9, 10)
  c.lineTo(-6.5, -26)
  c.lineTo(6.5, -26)
  c.lineTo(9, 10)
  c.clip()
  c.fillStyle = cyan
  for (let y = -26; y < 10; y += 12) c.fillRect(-12, y, 24, form === 1 ? 4 : 6)
  c.fillStyle = 'rgb(20 30 50 / 14%)'
  c.fillRect(3, -30, 12, 44)
  c.restore()
  c.fillStyle = p.wood
  c.beginPath()
  c.roundRect(-3, 0, 6, 10, [3, 3, 0, 0])
  c.fill()
  face(c, [[-10.5, -26], [-8, -30], [8, -30], [10.5, -26]], cyan, edge)
  if (p.dark) {
    const light = c.createRadialGradient(0, -42, 2, 0, -42, 24)
    light.addColorStop(0, 'rgb(140 245 240 / 55%)')
    light.addColorStop(1, 'rgb(140 245 240 / 0%)')
    c.fillStyle = light
    c.fillRect(-26, -66, 52, 48)
  }
  face(c, [[0, -54], [9, -42], [0, -30], [-9, -42]], p.dark ? '#a6f3ee' : '#7fdde0', edge)
  face(c, [[0, -54], [9, -42], [0, -42]], 'rgb(255 255 255 / 45%)', 'transparent')
}

/** A structure with its spaces: a hall under a yellow roof, with the sign of its first amenity. */
export function drawHall(c: Draw, amenity: string, p: Palette): void {
  const yellow = p.dark ? '#b98f35' : '#e6b03e'
  const edge = shade(yellow, -0.5)
  shadowUnder(c, p, 36, 9, 1, 15)
  face(c, [[-30, 15], [-30, -20], [30, -20], [30, 15]], p.wall, p.outline)
  face(c, [[20, 15], [20, -20], [30, -20], [30, 15]], p.wallShade, p.wallShade)
  for (const x of [-25, -13, 13]) lit(c, p, x, -12, 8, 9)
  face(c, [[-35, -18], [-25, -44], [25, -44], [35, -18]], yellow, edge)
  c.fillStyle = shade(yellow, 0.25)
  c.fillRect(-24, -44, 48, 3.5)
  if (amenity === 'car_wash') drawGate(c, p)
  else drawAwning(c, amenity === 'supermarket' ? '#4f9a63' : '#c9543f', amenity === 'supermarket' ? 60 : 30, p)
  ;(signs[amenity] ?? flag)(c, p)
}

function drawAwning(c: Draw, color: string, width: number, p: Palette): void {
  c.fillStyle = p.wood
  c.beginPath()
  c.roundRect(-6, -3, 12, 18, [4, 4, 0, 0])
  c.fill()
  const parts = width / 6
  for (let i = 0; i < parts; i++) {
    c.fillStyle = i % 2 === 0 ? color : '#fff4de'
    c.beginPath()
    c.roundRect(-width / 2 + i * 6, -4, 6, 7, [0, 0, 3, 3])
    c.fill()
  }
}

function drawGate(c: Draw, p: Palette): void {
  c.fillStyle = p.dark ? '#20303e' : '#5b7f8f'
  c.beginPath()
  c.roundRect(-14, -8, 28, 23, [10, 10, 0, 0])
  c.fill()
  c.strokeStyle = '#bfe6ef'
  c.lineWidth = 1.6
  c.beginPath()
  for (const x of [-8, -2.5, 3, 8.5]) {
    c.moveTo(x, -3)
    c.lineTo(x - 2, 11)
  }
  c.stroke()
}

function plaque(c: Draw, p: Palette): void {
  c.fillStyle = p.dark ? '#2b3042' : '#fffaf0'
  c.strokeStyle = p.outline
  c.lineWidth = 1
  c.beginPath()
  c.arc(0, -31, 9.5, 0, Math.PI * 2)
  c.fill()
  c.stroke()
  c.strokeStyle = p.dark ? '#ffd987' : '#7c4a21'
  c.fillStyle = c.strokeStyle
  c.lineWidth = 1.7
  c.lineCap = 'round'
}

function flag(c: Draw): void {
  c.strokeStyle = '#6b5640'
  c.lineWidth = 1.6
  c.beginPath()
  c.moveTo(0, -44)
  c.lineTo(0, -60)
  c.stroke()
  c.fillStyle = '#c9543f'
  c.beginPath()
  c.moveTo(0, -60)
  c.lineTo(13, -56)
  c.lineTo(0, -52)
  c.fill()
}

/** Signs of the amenities of the protocol: a bag, a trolley, a drop. */
const signs: Readonly<Record<string, (c: Draw, p: Palette) => void>> = {
  shop: (c, p) => {
    plaque(c, p)
    c.beginPath()
    c.roundRect(-4.4, -32.5, 8.8, 7.4, 1.4)
    c.moveTo(-2.2, -33)
    c.arc(0, -33, 2.2, Math.PI, 0)
    c.stroke()
  },
  supermarket: (c, p) => {
    plaque(c, p)
    c.beginPath()
    c.moveTo(-6, -35.5)
    c.lineTo(-3.6, -35.5)
    c.lineTo(-2, -29)
    c.lineTo(4, -29)
    c.lineTo(5.2, -33.6)
    c.lineTo(-3, -33.6)
    c.stroke()
    for (const x of [-1.4, 3.4]) {
      c.beginPath()
      c.arc(x, -26.4, 1.2, 0, Math.PI * 2)
      c.fill()
    }
  },
  car_wash: (c, p) => {
    plaque(c, p)
    c.fillStyle = '#3f8fb5'
    c.beginPath()
    c.moveTo(0, -37.5)
    c.quadraticCurveTo(5.6, -30.5, 4, -27.6)
    c.arc(0, -28.6, 4.2, 0.2, Math.PI - 0.2)
    c.quadraticCurveTo(-5.6, -30.5, 0, -37.5)
    c.fill()
  },
}
