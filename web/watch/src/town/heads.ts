import type { Look } from './look.js'
import { TRIMS } from './figure.js'
import { shade } from './palette.js'

/** The middle and the radius of a head, in ground units from the feet. */
const HEAD = { y: -37.5, r: 10.8 } as const

const SKINS = ['#f6d7bb', '#eabf97', '#d49f73', '#b27a50', '#8a5a3c', '#62402f', '#f1cdb6', '#c68e63'] as const
const FURS = ['#f3e7d0', '#d9a066', '#8b6f5a', '#b9b4ae', '#e8b98a', '#6b5a55', '#efd9b4', '#9aa5b1'] as const
const METALS = ['#cfd8dc', '#b7c4cf', '#d8cfc0', '#a9bcc0', '#c9c5d6', '#bfcdb9', '#d9c6c0', '#aab4c8'] as const
const HAIRS = ['#2e2430', '#5a3825', '#8d5a2b', '#c98b3c', '#e3c37a', '#b9b4bd', '#a2452f'] as const

type Draw = CanvasRenderingContext2D

/** The colors for painting a head. */
interface Paints {
  readonly coat: string
  readonly trim: string
  readonly hair: string
  readonly skin: string
}

/** The heads that are not human, by index. */
const FURRED = new Set([9, 10, 12])
const ROBOT = 11

function ball(c: Draw, x: number, y: number, rx: number, ry: number, fill: string, line = true): void {
  c.beginPath()
  c.ellipse(x, y, rx, ry, 0, 0, Math.PI * 2)
  c.fillStyle = fill
  c.fill()
  if (line) outline(c, fill)
}

function outline(c: Draw, fill: string): void {
  c.strokeStyle = shade(fill, -0.42)
  c.lineWidth = 1.1
  c.stroke()
}

function shape(c: Draw, fill: string, path: () => void): void {
  c.beginPath()
  path()
  c.closePath()
  c.fillStyle = fill
  c.fill()
  outline(c, fill)
}

/** Draws the head of a look, with its headwear. */
export function drawHead(c: Draw, look: Look, coat: string): void {
  const skins = look.head === ROBOT ? METALS : FURRED.has(look.head) ? FURS : SKINS
  const paints: Paints = {
    coat, skin: skins[look.skin] ?? skins[0],
    trim: TRIMS[look.trim] ?? TRIMS[0], hair: HAIRS[look.hair] ?? HAIRS[0],
  }
  behind[look.head]?.(c, paints)
  if (look.head === ROBOT) {
    shape(c, paints.skin, () => { c.roundRect(-10.5, HEAD.y - 9.5, 21, 19, 5) })
  } else {
    ball(c, 0, HEAD.y, HEAD.r, HEAD.r * 0.97, paints.skin)
  }
  drawFace(c, look, paints)
  before[look.head]?.(c, paints)
}

function drawFace(c: Draw, look: Look, { skin }: Paints): void {
  const dark = look.skin >= 3 && look.skin <= 5 && !FURRED.has(look.head) && look.head !== ROBOT
  const ink = dark ? '#1d1418' : '#332a35'
  if (look.head === ROBOT) {
    c.fillStyle = '#26323a'
    c.beginPath()
    c.roundRect(-7, HEAD.y - 4.5, 15.5, 8, 3.5)
    c.fill()
  }
  c.fillStyle = look.head === ROBOT ? '#8ff0e0' : ink
  for (const x of [-2.4, 4.6]) {
    c.beginPath()
    c.ellipse(x, HEAD.y + (look.head === ROBOT ? -0.5 : 0.6), 1.35, 1.75, 0, 0, Math.PI * 2)
    c.fill()
  }
  if (FURRED.has(look.head)) ball(c, 1.2, HEAD.y + 4, 1.7, 1.2, shade(skin, -0.6), false)
  extras[look.extra]?.(c, ink, look)
}

const stroke = (c: Draw, color: string, width: number, path: () => void): void => {
  c.beginPath()
  path()
  c.strokeStyle = color
  c.lineWidth = width
  c.stroke()
}

/** The details of a face: only eyes, a smile, glasses, cheeks, a moustache. */
const extras: readonly (((c: Draw, ink: string, look: Look) => void) | undefined)[] = [
  undefined,
  (c, ink) => { stroke(c, ink, 1, () => { c.arc(1.2, HEAD.y + 3.2, 2.6, 0.3, Math.PI - 0.3) }) },
  (c, ink) => {
    for (const x of [-2.6, 4.8]) stroke(c, ink, 1, () => { c.arc(x, HEAD.y + 0.6, 3.1, 0, Math.PI * 2) })
    stroke(c, ink, 1, () => { c.moveTo(0.5, HEAD.y + 0.4); c.lineTo(1.7, HEAD.y + 0.4) })
  },
  (c) => { for (const x of [-5, 7]) ball(c, x, HEAD.y + 3.6, 2, 1.3, 'rgb(226 92 92 / 42%)', false) },
  (c, ink, look) => {
    const hair = HAIRS[look.hair] ?? ink
    stroke(c, look.head === ROBOT ? ink : hair, 2.1, () => { c.moveTo(-2.6, HEAD.y + 4.6); c.quadraticCurveTo(1.2, HEAD.y + 2.4, 5, HEAD.y + 4.6) })
  },
]

const top = HEAD.y - HEAD.r

function fringe(c: Draw, fill: string, low: number): void {
  shape(c, fill, () => {
    c.arc(0, HEAD.y, HEAD.r + 0.8, Math.PI * 0.96, Math.PI * 2.04)
    c.quadraticCurveTo(6, HEAD.y + low, -1, HEAD.y - 4.4)
    c.quadraticCurveTo(-7, HEAD.y + low, -HEAD.r - 0.6, HEAD.y + 1.2)
  })
}

function ear(c: Draw, side: number, fill: string): void {
  shape(c, fill, () => { c.moveTo(side * 10, HEAD.y - 3); c.lineTo(side * 10.4, top - 6.5); c.lineTo(side * 2.6, top + 0.6) })
}

/** The parts behind the head, by index of the head. */
const behind: Readonly<Record<number, (c: Draw, p: Paints) => void>> = {
  1: (c, p) => { shape(c, p.hair, () => { c.roundRect(-12.4, HEAD.y - 9, 24.8, 21, 9) }) },
  2: (c, p) => { ball(c, -1, top - 3.4, 5.4, 5, p.hair) },
  8: (c, p) => { ball(c, 0, HEAD.y - 0.6, HEAD.r + 3.6, HEAD.r + 3.8, p.coat) },
  9: (c, p) => { for (const side of [-1, 1]) ear(c, side, p.skin) },
  10: (c, p) => {
    for (const side of [-1, 1]) {
      ball(c, side * 4.6, top - 6.5, 3.1, 9.5, p.skin)
      ball(c, side * 4.6, top - 5.5, 1.3, 6, '#e9a5a5', false)
    }
  },
  11: (c, p) => {
    stroke(c, '#59636b', 1.6, () => { c.moveTo(0, top + 2); c.lineTo(0, top - 5) })
    ball(c, 0, top - 6.6, 2.9, 2.9, p.trim)
  },
  12: (c, p) => { for (const side of [-1, 1]) ball(c, side * 8, top + 1.6, 4.2, 4.2, p.skin) },
}

/** The parts in front of the head, by index of the head. */
const before: Readonly<Record<number, (c: Draw, p: Paints) => void>> = {
  0: (c, p) => { fringe(c, p.hair, -9) },
  1: (c, p) => { fringe(c, p.hair, -8) },
  2: (c, p) => { fringe(c, p.hair, -10) },
  3: (c, p) => { for (const [x, y, r] of [[-9, 3.5, 4], [-6.5, -3, 4.6], [0, top - HEAD.y - 0.6 + 2, 5.2], [6.8, -3.6, 4.6], [10, 3, 3.6]] as const) ball(c, x, HEAD.y - 5.5 + y, r, r, p.hair) },
  4: (c, p) => {
    shape(c, p.trim, () => { c.arc(0, HEAD.y - 2, HEAD.r + 0.6, Math.PI, 0) })
    shape(c, shade(p.trim, -0.16), () => { c.ellipse(9, HEAD.y - 2.4, 8, 2.5, 0.1, 0, Math.PI * 2) })
  },
  5: (c, p) => {
    shape(c, p.coat, () => { c.arc(0, HEAD.y - 2.6, HEAD.r + 0.8, Math.PI, 0) })
    shape(c, p.trim, () => { c.roundRect(-12, HEAD.y - 5.2, 24, 4.6, 2.2) })
    ball(c, 0, top - 3.4, 3.6, 3.4, p.trim)
  },
  6: (c) => {
    ball(c, 0, HEAD.y - 5, 17.4, 4.8, '#e5c07b')
    shape(c, '#eccd8f', () => { c.moveTo(-9, HEAD.y - 5.6); c.quadraticCurveTo(-8, top - 6, 0, top - 6); c.quadraticCurveTo(8, top - 6, 9, HEAD.y - 5.6); c.quadraticCurveTo(0, HEAD.y - 3, -9, HEAD.y - 5.6) })
    stroke(c, '#a8324f', 2, () => { c.moveTo(-8.8, HEAD.y - 7); c.quadraticCurveTo(0, HEAD.y - 4.6, 8.8, HEAD.y - 7) })
  },
  7: (c, p) => {
    ball(c, 0, HEAD.y - 7, 13, 3.2, '#3a3346')
    shape(c, '#453d53', () => { c.roundRect(-8, top - 11, 16, 15, 2) })
    c.fillStyle = p.trim
    c.fillRect(-8, top - 0.4, 16, 3.2)
  },
  8: (c, p) => { shape(c, shade(p.coat, 0.12), () => { c.moveTo(-3.5, top + 0.8); c.quadraticCurveTo(0, top - 9, 5, top - 7); c.quadraticCurveTo(4, top - 3, 4.6, top + 1) }) },
  9: (c, p) => { stroke(c, shade(p.skin, -0.45), 0.9, () => { for (const y of [3, 5]) { c.moveTo(-5, HEAD.y + y); c.lineTo(-10.5, HEAD.y + y - 0.6); c.moveTo(7, HEAD.y + y); c.lineTo(12, HEAD.y + y - 0.6) } }) },
  13: (c, p) => {
    shape(c, p.coat, () => { c.moveTo(-11.6, HEAD.y - 4.6); c.quadraticCurveTo(-3, HEAD.y - 12, 3.5, top - 13.5); c.quadraticCurveTo(5, HEAD.y - 12, 11.6, HEAD.y - 4.6) })
    ball(c, 0, HEAD.y - 4.6, 14.6, 3.2, shade(p.coat, -0.2))
    ball(c, 1, top - 2, 1.9, 1.9, p.trim, false)
  },
}
