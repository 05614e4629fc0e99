import type { Camera, View } from './camera.js'
import type { Point } from './geometry.js'
import { boxAround } from './level.js'
import type { Resident } from './residents.js'

/** Others are shown as well while that leaves everybody as large as this at least, in CSS pixels for a ground unit. */
const AMONG = 1.1
/** Nobody is shown larger than at this scale. */
const CLOSE = 1.7

/** The view of somebody with those of the others who fit in, the first ones first. */
export function together(camera: Camera, first: Resident, others: readonly Resident[], now: number): View {
  const at = (resident: Resident): Point => resident.walk?.at(now) ?? resident.home
  let points = [at(first)]
  for (const other of others) {
    const more = [...points, at(other)]
    if (camera.around(boxAround(more)).scale >= AMONG) points = more
  }
  return camera.ashore(camera.around(boxAround(points), CLOSE))
}
