import type { Box, Point } from './geometry.js'

/** How residents are drawn: as dots; as figures with names in small letters, in usual ones, or with platforms. */
export type Level = 'dots' | 'small' | 'names' | 'platforms'

/** Up to this many residents always have names: there is room around them. */
const FEW = 15
/** The least distance between residents for each level, in CSS pixels at the usual letter size. */
const APART = { small: 55, names: 80, platforms: 150 } as const
/** At this scale, in CSS pixels per ground unit, platforms are shown however close residents are. */
const CLOSE = 1.7

/** Returns the readable level for a number of residents in view, their distance and a scale. */
export function levelOf(count: number, apart: number, scale: number): Level {
  if (apart >= APART.platforms || scale >= CLOSE || (count <= FEW && scale >= 0.5)) return 'platforms'
  if (apart >= APART.names || count <= FEW) return 'names'
  return apart >= APART.small ? 'small' : 'dots'
}

/** Returns the average distance of points: the side of the square of area that each one has. */
export function spacing(points: readonly Point[]): number {
  if (points.length < 2) return Infinity
  const { w, h } = boxAround(points)
  const share = Math.sqrt((w * h) / points.length)
  // In a row they stand side by side, with none above or below.
  return Math.max(share, Math.max(w, h) / points.length)
}

/** Returns the smallest box around points; an empty one without points. */
export function boxAround(points: readonly Point[]): Box {
  if (points.length === 0) return { x: 0, y: 0, w: 0, h: 0 }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x)
    bottom = Math.max(bottom, y)
  }
  return { x: left, y: top, w: right - left, h: bottom - top }
}
