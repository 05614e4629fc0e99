import type { Camera, View } from './camera.js'
import type { Point } from './geometry.js'
import { boxAround } from './level.js'
import type { Resident } from './residents.js'

/** Other residents are included while the scale stays at least this large, in CSS pixels per ground unit. */
const AMONG = 1.1
/** The largest scale of a visit. */
const CLOSE = 1.7

/** Returns the view of a resident with the others that fit in, in their order. */
export function together(camera: Camera, first: Resident, others: readonly Resident[], now: number): View {
  const at = (resident: Resident): Point => resident.walk?.at(now) ?? resident.home
  let points = [at(first)]
  for (const other of others) {
    const more = [...points, at(other)]
    if (camera.around(boxAround(more)).scale >= AMONG) points = more
  }
  return camera.ashore(camera.around(boxAround(points), CLOSE))
}
