import type { Box, Point } from './geometry.js'
import { clamp, grown, overlap, sharedArea } from './geometry.js'

/** A size that a bubble may have, in CSS pixels. */
export interface BubbleSize {
  readonly w: number
  readonly h: number
}

/** The position of a bubble: the index of its size, and its corner relative to the head. */
export interface BubbleSpot extends Point {
  readonly size: number
}

/** A request to show a bubble above a head. Lengths are CSS pixels. */
export interface BubbleWant {
  /** The top of the head that it points to. */
  readonly head: Point
  /** The sizes that are possible, the best first. */
  readonly sizes: readonly BubbleSize[]
  /** Where it was before: it stays there unless another place is much better. */
  readonly before: BubbleSpot | null
}

/** The place of a bubble. */
export interface BubblePlace {
  readonly box: Box
  readonly size: number
}

/** How high above the head the tail of a bubble begins. */
export const TAIL = 7
/** The heights at which bubbles are tried, in multiples of their own height. */
const RISES = [0, 0.5, 1.05, 1.6]
/** The offsets to the side, in multiples of their own width: a bubble stays above its head, where its tail shows who speaks. */
const SIDES = [0, -0.25, 0.25, -0.45, 0.45]
/** The cost of each size, the best size first, in pixels of distance. */
const SMALLER = [0, 30, 140]
/** The cost of each square pixel of a figure that a bubble would cover, in pixels of distance. */
const COVERED = 1 / 9
/** How much better, in pixels of distance, another place must be before a bubble moves there. */
const HELD = 40

/** Returns the upper left corner of every place that is tried for a size, relative to the head. */
export function tries({ w, h }: BubbleSize): Point[] {
  return RISES.flatMap((rise) => SIDES.map((side) => ({ x: -w / 2 + side * w, y: -TAIL - h - rise * h })))
}

/**
 * Places bubbles, in their order. A bubble never covers a name or another
 * bubble, stays within the view and near its head, and avoids figures if
 * possible; if there is little room, it gets a smaller size. A bubble without
 * any possible place is null: it has to wait.
 * @param names The boxes of every name that is shown.
 * @param bodies The boxes of figures, for appearance only.
 */
export function placeBubbles(wants: readonly BubbleWant[], names: readonly Box[], bodies: readonly Box[], view: Box): (BubblePlace | null)[] {
  const taken: Box[] = []
  return wants.map((want) => {
    const best = bestPlace(want, names, bodies, taken, view)
    if (best !== null) taken.push(grown(best.box, 3))
    return best
  })
}

function bestPlace(want: BubbleWant, names: readonly Box[], bodies: readonly Box[], taken: readonly Box[], view: Box): BubblePlace | null {
  const { head, sizes, before } = want
  const reach = reachOf(want, view)
  const walls = [...names, ...taken].filter((box) => overlap(box, reach))
  const soft = bodies.filter((box) => overlap(box, reach))
  let best: BubblePlace | null = null
  let least = Infinity
  const look = (size: number, offset: Point, bonus: number): void => {
    const { w, h } = sizes[size] ?? { w: 0, h: 0 }
    // A bubble that does not fit into the view would be cut off at its edge.
    if (w > view.w || h > view.h) return
    const away = Math.hypot((offset.x + w / 2) * 0.7, offset.y + TAIL + h) + (SMALLER[size] ?? 0) - bonus
    if (away >= least) return
    const box = {
      x: clamp(head.x + offset.x, view.x, view.x + view.w - w),
      y: clamp(head.y + offset.y, view.y, view.y + view.h - h),
      w, h,
    }
    if (walls.some((wall) => overlap(box, wall))) return
    let cost = away
    for (const body of soft) cost += sharedArea(box, body) * COVERED
    if (cost < least) {
      best = { box, size }
      least = cost
    }
  }
  if (before !== null && before.size < sizes.length) look(before.size, before, HELD)
  sizes.forEach((size, index) => { for (const offset of tries(size)) look(index, offset, 0) })
  return best
}

/** Returns the area that a bubble could cover. */
function reachOf({ head, sizes, before }: BubbleWant, view: Box): Box {
  const w = Math.max(0, ...sizes.map((size) => size.w))
  const h = Math.max(0, ...sizes.map((size) => size.h))
  const x = clamp(head.x, view.x, view.x + view.w)
  const y = clamp(head.y, view.y, view.y + view.h)
  const far = before === null ? 0 : Math.max(Math.abs(before.x), Math.abs(before.y))
  return grown({ x, y, w: 0, h: 0 }, Math.max(1.4 * w, 2.7 * h + TAIL, far) + w)
}
