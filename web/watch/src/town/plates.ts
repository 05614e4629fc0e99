import type { Box, Point } from './geometry.js'
import { clamp, overlap, sharedArea, nth } from './geometry.js'

/** A name that wants a place near the one it belongs to. Lengths are CSS pixels. */
export interface PlateWant {
  /** Where its owner stands. */
  readonly feet: Point
  /** What its owner covers. */
  readonly body: Box
  readonly w: number
  readonly h: number
  /** Who has more gets a place first. */
  readonly priority: number
  /** The slot that it had before: it stays there while it can. */
  readonly before: number | null
}

/** Where a name is, and whether it needs a line to its owner. */
export interface PlatePlace {
  readonly box: Box
  readonly led: boolean
  /** Which of the places that are tried it is. */
  readonly slot: number
}

/** A gap between plates, so that two names do not read as one. */
const GAP = 2
/** The share of a plate that figures may take from it before it is left out. */
const TOLERATED = 0.3
/** How much of a plate must be covered more than elsewhere before it leaves the place it had. */
const HELD = 0.12

/** A place that is tried: how far from below the middle of the owner, in widths and heights of the plate, and whether it is led. */
const BELOW: readonly (readonly [number, number, boolean])[] = [
  [0, 0, false], [-0.22, 0, false], [0.22, 0, false], [0, 0.4, false],
]
const FAR: readonly (readonly [number, number, boolean])[] = [
  [-0.42, 0.3, false], [0.42, 0.3, false], [-0.3, 0.95, true], [0.3, 0.95, true], [0, 1.3, true], [-0.5, 1.6, true], [0.5, 1.6, true],
]

/** The places that are tried, best first. */
function candidates({ feet, body, w, h }: PlateWant, view: Box): PlatePlace[] {
  const below = feet.y + 5
  const right = body.x + body.w + 3
  const left = body.x - w - 3
  const middle = body.y + body.h * 0.55 - h / 2
  const seen = feet.x > view.x && feet.x < view.x + view.w
  let slot = 0
  const place = (x: number, y: number, led = false): PlatePlace => ({ box: { x: Math.round(seen ? clamp(x, view.x, view.x + view.w - w) : x), y: Math.round(y), w, h }, led, slot: slot++ })
  const under = ([dx, dy, led]: readonly [number, number, boolean]): PlatePlace => place(feet.x - w / 2 + dx * w, below + dy * h, led)
  return [
    ...BELOW.map(under),
    place(right, middle), place(left, middle),
    ...FAR.map(under),
    place(feet.x - w / 2, body.y - h - 3), place(feet.x - w * 0.2, body.y - h - 3), place(feet.x - w * 0.8, body.y - h - 3),
    place(right, body.y), place(left, body.y), place(right, feet.y - h / 2), place(left, feet.y - h / 2),
  ]
}

/**
 * Gives names their places: no two overlap, figures stay free as far as
 * possible, and a name that finds no place is left out (null).
 * @param view The window: the name of one who is in it does not stick out at its sides.
 * @param marks Boxes of other things to be read, which names keep off as they do off figures.
 */
export function placePlates(wants: readonly PlateWant[], view: Box, marks: readonly Box[] = []): (PlatePlace | null)[] {
  const order = wants.map((_, i) => i).sort((a, b) => {
    const first = nth(wants, a)
    const second = nth(wants, b)
    return second.priority - first.priority || first.feet.y - second.feet.y || first.feet.x - second.feet.x
  })
  const placed: (PlatePlace | null)[] = wants.map(() => null)
  const taken: Box[] = []
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
  // Who matters most is named at any price but another's name.
  let least = want.priority > 0 ? Infinity : area * TOLERATED
  for (const place of candidates(want, view)) {
    if (others.some((box) => overlap(place.box, box))) continue
    let hidden = place.slot === want.before ? -area * HELD : 0
    for (let i = 0; i < bodies.length && hidden < least; i++) hidden += sharedArea(place.box, nth(bodies, i))
    if (hidden < least) {
      best = place
      least = hidden
    }
    if (best !== null && least <= (want.before === null ? 0 : -area * HELD)) break
  }
  return best
}
