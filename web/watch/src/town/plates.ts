import type { Box, Point } from './geometry.js'
import { clamp, overlap, sharedArea, nth } from './geometry.js'

/** A request to place a name near its owner. Lengths are CSS pixels. */
export interface PlateWant {
  /** The position of its owner's feet. */
  readonly feet: Point
  /** The box that its owner covers. */
  readonly body: Box
  readonly w: number
  readonly h: number
  /** A higher priority is placed first. */
  readonly priority: number
  /** The slot that it had before: it stays there if possible. */
  readonly before: number | null
}

/** The place of a name, and whether it needs a line to its owner. */
export interface PlatePlace {
  readonly box: Box
  readonly led: boolean
  /** The index of its place in the list of tried places. */
  readonly slot: number
}

/** A gap between plates, so that two names do not read as one. */
const GAP = 2
/** The share of a plate that may overlap figures before it is left out. */
const TOLERATED = 0.3
/** How much more of a plate must be covered than elsewhere before it leaves its place. */
const HELD = 0.12

/** Places below the middle of the owner: the distance from there, in widths and heights of the plate, and whether a line leads to it. */
type Offset = readonly [dx: number, dy: number, led: boolean]
const BELOW: readonly Offset[] = [
  [0, 0, false], [-0.22, 0, false], [0.22, 0, false], [0, 0.4, false],
]
const FAR: readonly Offset[] = [
  [-0.42, 0.3, false], [0.42, 0.3, false], [-0.3, 0.95, true], [0.3, 0.95, true], [0, 1.3, true], [-0.5, 1.6, true], [0.5, 1.6, true],
]

/** Returns the corner of a plate. */
type Corner = (want: PlateWant) => readonly [x: number, y: number]

const under = ([dx, dy, led]: Offset): readonly [Corner, boolean] =>
  [({ feet, w, h }) => [feet.x - w / 2 + dx * w, feet.y + 5 + dy * h], led]
const right = ({ body }: PlateWant): number => body.x + body.w + 3
const left = ({ body, w }: PlateWant): number => body.x - w - 3
const middle = ({ body, h }: PlateWant): number => body.y + body.h * 0.55 - h / 2
const over = ({ body, h }: PlateWant): number => body.y - h - 3

/** The tried places, the best first, and whether a line leads to them. The index of a place is its slot. */
const SLOTS: readonly (readonly [Corner, boolean])[] = [
  ...BELOW.map(under),
  [(want) => [right(want), middle(want)], false], [(want) => [left(want), middle(want)], false],
  ...FAR.map(under),
  [(want) => [want.feet.x - want.w / 2, over(want)], false],
  [(want) => [want.feet.x - want.w * 0.2, over(want)], false],
  [(want) => [want.feet.x - want.w * 0.8, over(want)], false],
  [(want) => [right(want), want.body.y], false], [(want) => [left(want), want.body.y], false],
  [(want) => [right(want), want.feet.y - want.h / 2], false], [(want) => [left(want), want.feet.y - want.h / 2], false],
]

/** Returns the place in a slot. */
function placeIn(slot: number, want: PlateWant, view: Box): PlatePlace {
  const { feet, w, h } = want
  const [corner, led] = nth(SLOTS, slot)
  const [x, y] = corner(want)
  const seen = feet.x > view.x && feet.x < view.x + view.w
  return { box: { x: Math.round(seen ? clamp(x, view.x, view.x + view.w - w) : x), y: Math.round(y), w, h }, led, slot }
}

/** Returns the area of a box outside the view, above and below, if its owner is in the view: text there cannot be read. */
function outside({ y, w, h }: Box, { feet }: PlateWant, view: Box): number {
  if (feet.y < view.y || feet.y > view.y + view.h) return 0
  return w * Math.max(0, view.y - y, y + h - view.y - view.h)
}

/**
 * Places names: no two overlap, figures stay free as far as possible, and a
 * name without a possible place is omitted (null).
 * @param view The window: a name whose owner is in it never extends beyond its sides, nor beyond top and bottom if another place is possible.
 * @param marks Boxes of other things with text, which names avoid like figures.
 * @param words Boxes that no name may overlap.
 */
export function placePlates(wants: readonly PlateWant[], view: Box, marks: readonly Box[] = [], words: readonly Box[] = []): (PlatePlace | null)[] {
  const order = wants.map((_, i) => i).sort((a, b) => {
    const first = nth(wants, a)
    const second = nth(wants, b)
    return second.priority - first.priority || first.feet.y - second.feet.y || first.feet.x - second.feet.x
  })
  const placed: (PlatePlace | null)[] = wants.map(() => null)
  const taken: Box[] = [...words]
  for (const index of order) {
    const best = bestPlace(nth(wants, index), wants, view, marks, taken)
    if (best === null) continue
    placed[index] = best
    const { x, y, w, h } = best.box
    taken.push({ x: x - GAP, y: y - GAP / 2, w: w + 2 * GAP, h: h + GAP })
  }
  return placed
}

function bestPlace(want: PlateWant, wants: readonly PlateWant[], view: Box, marks: readonly Box[], taken: readonly Box[]): PlatePlace | null {
  const area = want.w * want.h
  const around = { x: want.body.x - want.w, y: want.body.y - 2 * want.h, w: want.body.w + 2 * want.w, h: want.body.h + 6 * want.h }
  const others = taken.filter((box) => overlap(box, around))
  const bodies = marks.filter((box) => overlap(box, around))
  for (const other of wants) if (other !== want && overlap(other.body, around)) bodies.push(other.body)
  let best: PlatePlace | null = null
  // A name with a priority is shown unless it would overlap another name.
  let least = want.priority > 0 ? Infinity : area * TOLERATED
  const { before } = want
  const enough = before === null ? 0 : -area * HELD
  // The old place is the best if it is free: it is tried first, so that nothing else is tried in a town at rest.
  for (let turn = before === null ? 0 : -1; turn < SLOTS.length; turn++) {
    if (turn === before) continue
    const place = placeIn(turn < 0 ? before ?? 0 : turn, want, view)
    if (others.some((box) => overlap(place.box, box))) continue
    let hidden = (turn < 0 ? enough : 0) + outside(place.box, want, view)
    for (let i = 0; i < bodies.length && hidden < least; i++) hidden += sharedArea(place.box, nth(bodies, i))
    if (hidden < least) {
      best = place
      least = hidden
    }
    if (best !== null && least <= enough) break
  }
  return best
}
