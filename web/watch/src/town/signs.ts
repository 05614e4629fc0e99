import type { Item } from './display.js'
import type { Palette } from './palette.js'
import type { Shown } from './shown.js'
import type { TownState } from './types.js'

/** A sign in a square of 16 units, as SVG paths: its shape, and a mark on it that is drawn as a line. */
export interface Sign {
  readonly shape: string
  readonly mark: string
}

/** The sign of each state. They differ by shape, not only by color. */
export const signs: Readonly<Record<TownState, Sign>> = {
  waiting: { shape: 'M8 0 16 8 8 16 0 8Z', mark: 'M8 4.4v4.4M8 11.4v.1' },
  failed: { shape: 'M4.9.5h6.2l4.4 4.4v6.2l-4.4 4.4H4.9L.5 11.1V4.9Z', mark: 'M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2' },
  working: { shape: 'M8 .8a7.2 7.2 0 1 0 0 14.4A7.2 7.2 0 1 0 8 .8Z', mark: 'M6.6 5v6l4.4-3Z' },
  done: { shape: 'M3.6 1.2h8.8a2.4 2.4 0 0 1 2.4 2.4v8.8a2.4 2.4 0 0 1-2.4 2.4H3.6a2.4 2.4 0 0 1-2.4-2.4V3.6a2.4 2.4 0 0 1 2.4-2.4Z', mark: 'M4.6 8.3 7 10.7l4.4-5' },
  idle: { shape: 'M4 5.2h8a2.8 2.8 0 0 1 0 5.6H4a2.8 2.8 0 0 1 0-5.6Z', mark: '' },
}

/** The size of a sign in CSS pixels at the usual letter size: above a figure, and beside a dot. */
const SIZE = { figure: 15, dot: 11 } as const

const paths = new Map<string, Path2D>()

function pathOf(d: string): Path2D {
  const path = paths.get(d) ?? new Path2D(d)
  paths.set(d, path)
  return path
}

/** Returns the sign of an agent's state, beside its head; none without a state. */
export function signOf({ resident: { key, row }, head, dot, strength, scale }: Shown, p: Palette, size: number): Item[] {
  const state = row.kind === 'agent' ? row.activity?.state : undefined
  const sign = state === undefined || !Object.hasOwn(signs, state) ? undefined : signs[state]
  if (state === undefined || sign === undefined) return []
  const side = dot > 0 ? SIZE.dot * size : Math.max(SIZE.figure * size, 12 * scale)
  const x = head.x + (dot > 0 ? dot * 0.4 : 8 * scale)
  const y = dot > 0 ? head.y - side * 0.55 : head.y + 6 * scale - side * 0.75
  return [{
    name: `state ${key}`, looks: [state, strength, p], box: { x: x - 1, y: y - 1, w: side + 2, h: side + 2 },
    draw: (c) => {
      c.save()
      c.globalAlpha = strength
      c.translate(x, y)
      c.scale(side / 16, side / 16)
      c.lineJoin = 'round'
      c.lineCap = 'round'
      c.fillStyle = p.states[state]
      c.strokeStyle = p.paper
      c.lineWidth = 1.6
      const shape = pathOf(sign.shape)
      c.fill(shape)
      c.stroke(shape)
      c.lineWidth = 2
      c.stroke(pathOf(sign.mark))
      c.restore()
    },
  }]
}
