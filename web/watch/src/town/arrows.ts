import type { Point } from './geometry.js'

/** A figure that arrow keys can select. */
export interface Standing {
  readonly key: string
  readonly home: Point
}

/** A step to the left or right, up or down: one of the two is 0, the other -1 or 1. */
export type Arrow = readonly [dx: number, dy: number]

/** The arrow keys. */
export const ARROWS: Readonly<Record<string, Arrow>> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
}

/**
 * Returns the figure that an arrow key selects next; if none is selected, the one nearest to the
 * middle of the view. Undefined if there are no figures.
 *
 * Right and left go through all figures in reading order and wrap around. Keys that only go to the
 * nearest figure skip some: of random crowds of a hundred, one in ten has a figure that is nearest
 * to no other. Up and down can go to the nearest, because right and left reach all figures.
 */
export function nextInDirection<T extends Standing>(all: readonly T[], current: T | null, [dx, dy]: Arrow, middle: Point): T | undefined {
  if (current === null) return least(all, ({ home }) => Math.hypot(home.x - middle.x, home.y - middle.y))
  if (dx === 0) return above(all, current, dy) ?? current
  const order = readingOrder(all)
  return order[(order.indexOf(current) + dx + order.length) % order.length]
}

/** Returns all figures from the upper left to the lower right, row by row, as text is read. */
export function readingOrder<T extends Standing>(all: readonly T[]): T[] {
  const ys = all.map(({ home }) => home.y)
  const top = Math.min(...ys)
  const height = Math.max(...ys) - top
  // Figures stand anywhere: rows are strips, about as many as there are figures in a row.
  const rows = Math.max(1, Math.round(Math.sqrt(all.length / 2)))
  const row = ({ home }: T): number => height === 0 ? 0 : Math.min(rows - 1, Math.floor(((home.y - top) / height) * rows))
  return [...all].sort((a, b) => row(a) - row(b) || a.home.x - b.home.x || a.home.y - b.home.y || (a.key < b.key ? -1 : 1))
}

/** Returns the nearest figure above or below, without figures that are far to a side. */
function above<T extends Standing>(all: readonly T[], { home }: T, dy: number): T | undefined {
  const way = (other: T): { along: number; across: number } => ({ along: (other.home.y - home.y) * dy, across: Math.abs(other.home.x - home.x) })
  const there = all.filter((other) => { const { along, across } = way(other); return along > 0 && across <= along * 2 })
  return least(there, (other) => { const { along, across } = way(other); return along + across * 2 })
}

function least<T>(list: readonly T[], cost: (item: T) => number): T | undefined {
  let best: T | undefined
  let lowest = Infinity
  for (const item of list) {
    const price = cost(item)
    if (price < lowest) { best = item; lowest = price }
  }
  return best
}
