import type { Box, Point } from './geometry.js'
import { clamp, overlap, sharedArea } from './geometry.js'

/** Something that wants to be read above somebody's head. Lengths are CSS pixels. */
export interface BubbleWant {
  /** The top of the head that it points to. */
  readonly head: Point
  readonly w: number
  readonly h: number
  /** Where it was before, relative to the head: it stays there while it can. */
  readonly before: Point | null
}

/** How high above the head the tail of a bubble begins. */
export const TAIL = 7
/** How high bubbles are tried, in multiples of their own height. */
const RISES = [0, 0.5, 1.05, 1.6, 2.3, 3.1]
/** How far to the side, in multiples of their own width. */
const SIDES = [0, -0.32, 0.32, -0.62, 0.62, -1, 1]

/** The upper left corner of every place that is tried, relative to the head, best first. */
export function tries(w: number, h: number): Point[] {
  return RISES.flatMap((rise) => SIDES.map((side) => ({ x: -w / 2 + side * w, y: -TAIL - h - rise * h })))
}

/**
 * Gives bubbles their places, in their order. A bubble never covers a name or
 * another bubble, stays within the view, and keeps off heads where it can. One
 * that finds no place is null.
 * @param names The boxes of every name that is shown.
 * @param bodies The boxes of figures, for looks only.
 */
export function placeBubbles(wants: readonly BubbleWant[], names: readonly Box[], bodies: readonly Box[], view: Box): (Box | null)[] {
  const taken: Box[] = []
  return wants.map((want) => {
    const best = bestPlace(want, names, bodies, taken, view)
    if (best !== null) taken.push({ x: best.x - 3, y: best.y - 3, w: best.w + 6, h: best.h + 6 })
    return best
  })
}

function bestPlace(want: BubbleWant, names: readonly Box[], bodies: readonly Box[], taken: readonly Box[], view: Box): Box | null {
  const { head, w, h, before } = want
  let best: Box | null = null
  let least = Infinity
  const offsets = before === null ? tries(w, h) : [before, ...tries(w, h)]
  offsets.forEach((offset, index) => {
    // Being further away costs a little, being moved off one's place too.
    const away = (index + (before === null ? 0 : 8) * Number(index > 0)) * 24
    if (away >= least) return
    const box = {
      x: clamp(head.x + offset.x, view.x, view.x + view.w - w),
      y: clamp(head.y + offset.y, view.y, view.y + view.h - h),
      w, h,
    }
    if (names.some((name) => overlap(box, name)) || taken.some((other) => overlap(box, other))) return
    let cost = away
    for (const body of bodies) cost += sharedArea(box, body)
    if (cost < least) {
      best = box
      least = cost
    }
  })
  return best
}
