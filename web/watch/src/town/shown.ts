import type { Camera } from './camera.js'
import type { Box, Point } from './geometry.js'
import { clamp, overlap } from './geometry.js'
import type { PlatePlace } from './plates.js'
import type { Resident, Residents } from './residents.js'
import { ARRIVAL, DEPARTURE } from './residents.js'

/** The marked residents on the map. */
export interface Marks {
  readonly selected: string | null
  readonly hovered: string | null
  readonly focused: string | null
}

/** A resident as drawn in a frame, in CSS pixels. */
export interface Shown {
  readonly resident: Resident
  readonly feet: Point
  readonly home: Point
  readonly body: Box
  readonly head: Point
  readonly pose: number
  readonly left: boolean
  readonly strength: number
  /** CSS pixels per ground unit of its picture. */
  readonly scale: number
  /** Whether it is the reader's own figure. */
  readonly own: boolean
  /** Half the size of its dot in CSS pixels; 0 if it is drawn as a figure. */
  readonly dot: number
  plate: PlatePlace | null
}

/** The least scale of figures, so that they can be distinguished where the whole town is small. */
const LEAST_SCALE = { few: 0.52, many: 0.34 } as const
/** The number of residents above which the scale for many applies. */
const MANY = 40

/** Reports whether the person points at, selected or focused a resident. */
export function isMarked(key: string, marks: Marks): boolean {
  return key === marks.selected || key === marks.hovered || key === marks.focused
}

/** Returns the residents in the window at a time, as drawn, from back to front. */
export function look(camera: Camera, residents: Residents, now: number, still: boolean): Shown[] {
  const view = { x: -60, y: -60, w: camera.width + 120, h: camera.height + 160 }
  const scale = Math.max(camera.scale, residents.all.size > MANY ? LEAST_SCALE.many : LEAST_SCALE.few)
  const out: Shown[] = []
  for (const resident of residents.all.values()) {
    const stand = resident.walk?.at(now)
    const at = stand ?? resident.home
    const feet = { x: camera.screenX(at.x), y: camera.screenY(at.y) }
    const [half, tall] = sizeOf(resident)
    const body = { x: feet.x - half * scale, y: feet.y - tall * scale, w: 2 * half * scale, h: tall * scale }
    const home = { x: camera.screenX(resident.home.x), y: camera.screenY(resident.home.y) }
    if (!overlap(body, view) && !overlap({ ...body, x: home.x, y: home.y }, view)) continue
    const here = still ? 1 : clamp((now - resident.arrived) / ARRIVAL, 0, 1)
    const gone = resident.left === null ? 0 : still ? 1 : clamp((now - resident.left) / DEPARTURE, 0, 1)
    const pose = stand?.moving === true ? 1 + (Math.floor(stand.walked / 11) % 2) : 0
    out.push({
      resident, feet, home, body, head: { x: feet.x, y: body.y }, pose, left: stand?.left ?? false,
      strength: Math.min(here, 1 - gone), scale, dot: 0, plate: null, own: resident.key === residents.own,
    })
  }
  return out.sort((a, b) => a.feet.y - b.feet.y)
}

/** Half the size of a dot, in CSS pixels at the usual letter size. */
const DOT = 6

/** Returns residents as dots; marked ones stay figures, and so does the reader's own. */
export function asDots(all: readonly Shown[], marks: Marks, size: number): Shown[] {
  const dot = DOT * size
  return all.map((shown) => {
    const { resident, feet } = shown
    if (shown.own || isMarked(resident.key, marks)) return shown
    return { ...shown, dot, body: { x: feet.x - dot, y: feet.y - dot, w: 2 * dot, h: 2 * dot }, head: { x: feet.x, y: feet.y - dot } }
  })
}

/** Returns half the width and the height of a resident's picture, in ground units. */
function sizeOf({ row }: Resident): [number, number] {
  return row.kind === 'structure' ? [35, 48] : row.kind === 'mcp' ? [16, 56] : [13, 52]
}
