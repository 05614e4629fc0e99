import type { Box, Point } from './geometry.js'

/** What is drawn of everybody: a dot; a figure with its name in small letters, in usual ones, or with its platform. */
export type Level = 'dots' | 'small' | 'names' | 'platforms'

/** Up to so many always have names: there is room around them. */
const FEW = 15
/** How far apart people have to be for each level, in CSS pixels at the usual size of letters. */
const APART = { small: 55, names: 80, platforms: 150 } as const
/** At this scale, in CSS pixels for a ground unit, platforms are shown however close people are. */
const CLOSE = 1.7

/** The level that can be read where so many are in view, so far apart, at a scale. */
export function levelOf(count: number, apart: number, scale: number): Level {
  if (apart >= APART.platforms || scale >= CLOSE || (count <= FEW && scale >= 0.5)) return 'platforms'
  if (apart >= APART.names || count <= FEW) return 'names'
  return apart >= APART.small ? 'small' : 'dots'
}

/** How far apart points are on the average: the side of the square that each has for itself. */
export function spacing(points: readonly Point[]): number {
  if (points.length < 2) return Infinity
  const { w, h } = boxAround(points)
  const share = Math.sqrt((w * h) / points.length)
  // In a row they stand side by side, with nobody above or below.
  return Math.max(share, Math.max(w, h) / points.length)
}

/** The smallest box that holds points; empty without any. */
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
