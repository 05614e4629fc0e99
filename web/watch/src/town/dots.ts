import type { Item } from './display.js'
import { grown } from './geometry.js'
import { COATS, lookOf } from './look.js'
import type { Palette } from './palette.js'
import type { Shown } from './shown.js'
import type { TownOccupant } from './types.js'

/** The colors of placements and structures. */
const PLACES = { mcp: '#00878f', structure: '#8a6a48' } as const

/** Returns the color of an occupant's dot: that of the coat. */
export function colorOf(row: TownOccupant, p: Palette): string {
  if (row.kind === 'mcp' || row.kind === 'structure') return PLACES[row.kind]
  return COATS[lookOf(row.kind === 'agent' ? row.agentId : row.id).coat] ?? p.pick
}

/** Adds a diamond to the path: the shape of people when zoomed out. */
export function diamond(c: CanvasRenderingContext2D, x: number, y: number, half: number): void {
  c.moveTo(x, y - half)
  c.lineTo(x + half, y)
  c.lineTo(x, y + half)
  c.lineTo(x - half, y)
  c.closePath()
}

/** Returns an occupant's dot, for a zoomed-out view: in the color of the coat, with a ring around a speaker; a square is a structure or a placement, a diamond is a person. */
export function dotOf({ resident: { key, row, speech }, feet, body, dot, strength }: Shown, p: Palette): Item {
  const speaks = speech !== null
  return {
    name: `dot ${key}`, looks: [row.kind, colorOf(row, p), speaks, strength, p], box: grown(body, 5),
    draw: (c) => {
      c.globalAlpha = strength
      c.beginPath()
      if (row.kind === 'mcp' || row.kind === 'structure') {
        c.roundRect(feet.x - dot * 0.8, feet.y - dot * 0.8, dot * 1.6, dot * 1.6, 2)
      } else if (row.kind === 'human') {
        diamond(c, feet.x, feet.y, dot * 1.15)
      } else {
        c.arc(feet.x, feet.y, dot * 0.9, 0, Math.PI * 2)
      }
      c.fillStyle = colorOf(row, p)
      c.fill()
      c.strokeStyle = p.dark ? '#f4ecdb' : '#ffffff'
      c.lineWidth = 1.5
      c.stroke()
      if (speaks) {
        c.beginPath()
        c.arc(feet.x, feet.y, dot + 2.5, 0, Math.PI * 2)
        c.strokeStyle = p.pick
        c.lineWidth = 2.5
        c.stroke()
      }
      c.globalAlpha = 1
    },
  }
}
