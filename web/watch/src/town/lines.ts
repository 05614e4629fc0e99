import type { Item } from './display.js'
import type { Palette } from './palette.js'
import type { Marks, Shown } from './shown.js'
import { isMarked } from './shown.js'

/** Up to this many lines are always shown; of more, only those of a marked agent. */
const FEW = 12

/** Returns the lines from agents to the agents that they started. */
export function linesOf(all: readonly Shown[], marks: Marks, p: Palette): Item[] {
  const homes = new Map(all.map((shown) => [shown.resident, shown.home]))
  const lines = all.flatMap(({ resident, home }) => {
    const from = resident.parent && homes.get(resident.parent)
    return resident.parent === undefined || from === undefined ? [] : [{ key: resident.key, from, to: home, marked: isMarked(resident.key, marks) || isMarked(resident.parent.key, marks) }]
  })
  return lines.filter(({ marked }) => marked || lines.length <= FEW).map(({ key, from, to, marked }) => ({
    name: `kin ${key}`, looks: [from.x, from.y, to.x, to.y, marked, p],
    box: { x: Math.min(from.x, to.x) - 2, y: Math.min(from.y, to.y) - 2, w: Math.abs(from.x - to.x) + 4, h: Math.abs(from.y - to.y) + 4 },
    draw: (c) => {
      c.globalAlpha = marked ? 0.9 : 0.45
      c.strokeStyle = marked ? p.pick : p.plateSoft
      c.lineWidth = marked ? 2.5 : 1.5
      c.beginPath()
      c.moveTo(from.x, from.y)
      c.lineTo(to.x, to.y)
      c.stroke()
      c.globalAlpha = 1
    },
  }))
}
