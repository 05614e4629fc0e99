/** Points and boxes, in any unit that is the same on both sides of a calculation. */

/** A point. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A box by its upper left corner and its size. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/** Reports whether two boxes overlap; touching edges do not count. */
export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/** Returns the area that two boxes have in common. */
export function sharedArea(a: Box, b: Box): number {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y)
  return w > 0 && h > 0 ? w * h : 0
}

/** Returns a box that is larger by a margin on every side. */
export function grown(box: Box, margin: number): Box {
  return { x: box.x - margin, y: box.y - margin, w: box.w + 2 * margin, h: box.h + 2 * margin }
}

/** Reports whether a point is in a box. */
export function contains(box: Box, point: Point): boolean {
  return point.x >= box.x && point.x <= box.x + box.w && point.y >= box.y && point.y <= box.y + box.h
}

/** Reports whether a box is within another. */
export function holdsBox(outer: Box, inner: Box): boolean {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.w <= outer.x + outer.w && inner.y + inner.h <= outer.y + outer.h
}

/** Reports whether two lists have the same numbers. */
export function alike(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}

/** Returns a value within limits; the lower one for NaN. */
export function clamp(value: number, least: number, most: number): number {
  return value > least ? Math.min(value, most) : least
}

/** Interpolates from a to b by a share from 0 to 1. */
export function between(a: number, b: number, share: number): number {
  return a + (b - a) * share
}

/** Returns an eased share, which starts and ends slowly. */
export function ease(share: number): number {
  return share * share * (3 - 2 * share)
}

/** Returns the item of a list at an index, from the end if it is negative. It must exist. */
export function nth<T>(list: readonly T[], index: number): T {
  const item = list.at(index)
  if (item === undefined) throw new RangeError(`a list of ${list.length} has no item ${index}`)
  return item
}
