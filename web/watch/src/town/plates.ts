import type { Box, Point } from './geometry.js'
import { overlap, sharedArea, nth } from './geometry.js'

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
}

/** Where a name is, and whether it needs a line to its owner. */
export interface PlatePlace {
  readonly box: Box
  readonly led: boolean
}

/** A gap between plates, so that two names do not read as one. */
const GAP = 2
/** The share of a plate that figures may take from it before it is left out. */
const TOLERATED = 0.3

/** The places that are tried, best first. */
function candidates({ feet, body, w, h }: PlateWant): PlatePlace[] {
  const below = feet.y + 5
  const right = body.x + body.w + 3
  const left = body.x - w - 3
  const middle = body.y + body.h * 0.55 - h / 2
  const place = (x: number, y: number, led = false): PlatePlace => ({ box: { x: Math.round(x), y: Math.round(y), w, h }, led })
  return [
    place(feet.x - w / 2, below),
    place(feet.x - w / 2 - w * 0.22, below), place(feet.x - w / 2 + w * 0.22, below),
    place(feet.x - w / 2, below + h * 0.55),
    place(right, middle), place(left, middle),
    place(feet.x - w / 2 - w * 0.3, below + h * 0.9, true), place(feet.x - w / 2 + w * 0.3, below + h * 0.9, true),
    place(feet.x - w / 2, below + h + 4, true),
    place(feet.x - w / 2, body.y - h - 3),
  ]
}

/**
 * Gives names their places: no two overlap, figures stay free as far as
 * possible, and a name that finds no place is left out (null).
 */
export function placePlates(wants: readonly PlateWant[]): (PlatePlace | null)[] {
  const order = wants.map((_, i) => i).sort((a, b) => {
    const first = nth(wants, a)
    const second = nth(wants, b)
    return second.priority - first.priority || first.feet.y - second.feet.y || first.feet.x - second.feet.x
  })
  const placed: (PlatePlace | null)[] = wants.map(() => null)
  const taken: Box[] = []
  for (const index of order) {
    const want = nth(wants, index)
    const best = bestPlace(want, index, wants, taken)
    if (best === null) continue
    placed[index] = best
    const { x, y, w, h } = best.box
    taken.push({ x: x - GAP, y: y - GAP / 2, w: w + 2 * GAP, h: h + GAP })
  }
  return placed
}

function bestPlace(want: PlateWant, index: number, wants: readonly PlateWant[], taken: readonly Box[]): PlatePlace | null {
  const area = want.w * want.h
  let best: PlatePlace | null = null
  // Who matters most is named at any price but another's name.
  let least = want.priority > 0 ? Infinity : area * TOLERATED
  for (const place of candidates(want)) {
    if (taken.some((box) => overlap(place.box, box))) continue
    let hidden = 0
    for (let i = 0; i < wants.length && hidden < least; i++) {
      if (i !== index) hidden += sharedArea(place.box, nth(wants, i).body)
    }
    if (hidden < least) {
      best = place
      least = hidden
      if (hidden === 0) break
    }
  }
  return best
}
