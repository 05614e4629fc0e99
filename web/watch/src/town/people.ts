import type { Point } from './geometry.js'
import type { Palette } from './palette.js'

/** Draws the platform of a person, which no agent has: a plate, filled below the reader's own figure. */
export function drawPlatform(c: CanvasRenderingContext2D, feet: Point, s: number, own: boolean, p: Palette): void {
  c.beginPath()
  c.ellipse(feet.x, feet.y - 2 * s, 17 * s, 7.6 * s, 0, 0, Math.PI * 2)
  c.fillStyle = own ? p.pick : p.plate
  c.fill()
  c.lineWidth = Math.max(1.5, 2 * s)
  c.strokeStyle = own ? p.plate : p.pick
  c.stroke()
}

/** Draws the arrow above the reader's own figure. */
export function drawPointer(c: CanvasRenderingContext2D, head: Point, s: number, p: Palette): void {
  const half = Math.max(5, 6.5 * s)
  const foot = head.y - 1
  c.beginPath()
  c.moveTo(head.x - half, foot - half * 1.25)
  c.lineTo(head.x + half, foot - half * 1.25)
  c.lineTo(head.x, foot)
  c.closePath()
  c.fillStyle = p.pick
  c.strokeStyle = p.plate
  c.lineWidth = 1.5
  c.lineJoin = 'round'
  c.fill()
  c.stroke()
}
