import { bitmap } from './bitmap.js'
import type { Bitmap } from './bitmap.js'
import { placeBubbles, TAIL } from './bubbles.js'
import type { Camera } from './camera.js'
import type { Box, Point } from './geometry.js'
import { clamp, contains, grown, overlap, nth } from './geometry.js'
import { paintGround } from './ground.js'
import type { Palette } from './palette.js'
import { bubbleFill, Paper } from './paper.js'
import type { Sheet } from './paper.js'
import type { Patterns } from './patterns.js'
import { patternsOf } from './patterns.js'
import type { PlatePlace } from './plates.js'
import { placePlates } from './plates.js'
import type { Resident, Residents } from './residents.js'
import { ARRIVAL, DEPARTURE, FRESH } from './residents.js'
import { Sprites } from './sprites.js'
import { drawTrail } from './trails.js'

/** Who is marked on the map. */
export interface Marks {
  readonly selected: string | null
  readonly hovered: string | null
  readonly focused: string | null
}

/** Somebody as drawn in this frame, in CSS pixels. */
interface Shown {
  readonly resident: Resident
  readonly feet: Point
  readonly home: Point
  readonly body: Box
  readonly head: Point
  readonly pose: number
  readonly left: boolean
  readonly strength: number
  sheet: Sheet | null
  plate: PlatePlace | null
}

/** Below this many occupants in the view every name has its platform with it. */
const FEW = 16
/** The part of the window around it that the ground is painted for as well. */
const MARGIN = 0.12

/** Draws the town: the ground from one large bitmap, everything else from small ones. */
export class Painter {
  readonly #sprites = new Sprites()
  readonly #paper: Paper
  #patterns = new WeakMap<object, Patterns>()
  #ground: (Bitmap & { box: Box; scale: number }) | null = null
  #shown: Shown[] = []
  /** Whether some pictures wait for the next frame. */
  get behind(): boolean { return this.#sprites.behind }

  constructor(private palette: Palette, private density: number) {
    this.#paper = new Paper(palette, density)
  }

  /** Takes another palette or density; every picture is made again. */
  reset(palette: Palette, density: number): void {
    this.palette = palette
    this.density = density
    this.#sprites.clear()
    this.#patterns = new WeakMap()
    this.#paper.reset(palette, density)
    this.#ground = null
  }

  /** Takes another land. */
  renewLand(): void { this.#ground = null }

  /** Draws a frame. */
  draw(c: CanvasRenderingContext2D, camera: Camera, residents: Residents, marks: Marks, now: number, still: boolean): void {
    this.#sprites.begin()
    if (!camera.gliding) this.#sprites.setScale(camera.scale * this.density)
    c.setTransform(this.density, 0, 0, this.density, 0, 0)
    this.#drawGround(c, camera, residents)
    for (const resident of residents.all.values()) {
      if (resident.walk !== null || now < resident.trailUntil || (resident.key === marks.selected && resident.path.length > 1)) {
        drawTrail(c, camera, residents.streets, resident, this.palette)
      }
    }
    this.#shown = this.#look(camera, residents, now, still)
    for (const shown of this.#shown) this.#drawShown(c, camera, shown, marks)
    this.#layPlates(camera, marks, now)
    this.#drawBubbles(c, camera)
    for (const shown of this.#shown) this.#drawPlate(c, shown)
  }

  /** Who is drawn at a point of the window; the one in front. */
  hit(at: Point): Resident | undefined {
    for (let i = this.#shown.length - 1; i >= 0; i--) {
      const { body, plate, resident } = nth(this.#shown, i)
      if (contains(body, at) || (plate !== null && contains(plate.box, at))) return resident
    }
    return undefined
  }

  #drawGround(c: CanvasRenderingContext2D, camera: Camera, residents: Residents): void {
    const seen = camera.seen
    const old = this.#ground
    const ratio = old === null ? 0 : camera.scale / old.scale
    const covered = old !== null && seen.x >= old.box.x && seen.y >= old.box.y
      && seen.x + seen.w <= old.box.x + old.box.w && seen.y + seen.h <= old.box.y + old.box.h
    if (old === null || !covered || (!camera.gliding && ratio !== 1) || ratio > 1.6) this.#paintGround(camera, residents)
    const ground = this.#ground
    if (ground === null) return
    const { box, canvas } = ground
    c.drawImage(canvas, camera.screenX(box.x), camera.screenY(box.y), box.w * camera.scale, box.h * camera.scale)
  }

  #paintGround(camera: Camera, residents: Residents): void {
    const box = grown(camera.seen, (Math.max(camera.width, camera.height) * MARGIN) / camera.scale)
    const scale = camera.scale * this.density
    const width = Math.ceil(box.w * scale)
    const height = Math.ceil(box.h * scale)
    const kept = this.#ground
    const paper = kept?.canvas.width === width && kept.canvas.height === height ? kept : bitmap(width, height)
    paper.draw.setTransform(scale, 0, 0, scale, -box.x * scale, -box.y * scale)
    paintGround(paper.draw, box, residents.bounds, residents.streets, this.palette)
    this.#ground = { canvas: paper.canvas, draw: paper.draw, box, scale: camera.scale }
  }

  #look(camera: Camera, residents: Residents, now: number, still: boolean): Shown[] {
    const view = { x: -60, y: -60, w: camera.width + 120, h: camera.height + 160 }
    const out: Shown[] = []
    for (const resident of residents.all.values()) {
      const stand = resident.walk?.at(now)
      const at = stand ?? resident.home
      const s = camera.scale
      const feet = { x: camera.screenX(at.x), y: camera.screenY(at.y) }
      const [half, tall] = sizeOf(resident)
      const body = { x: feet.x - half * s, y: feet.y - tall * s, w: 2 * half * s, h: tall * s }
      const home = { x: camera.screenX(resident.home.x), y: camera.screenY(resident.home.y) }
      if (!overlap(body, view) && !overlap({ ...body, x: home.x, y: home.y }, view)) continue
      const here = still ? 1 : clamp((now - resident.arrived) / ARRIVAL, 0, 1)
      const gone = resident.left === null ? 0 : still ? 1 : clamp((now - resident.left) / DEPARTURE, 0, 1)
      const pose = stand?.moving === true ? 1 + (Math.floor(stand.walked / 11) % 2) : 0
      out.push({
        resident, feet, home, body, head: { x: feet.x, y: body.y }, pose, left: stand?.left ?? false,
        strength: Math.min(here, 1 - gone), sheet: null, plate: null,
      })
    }
    return out.sort((a, b) => a.feet.y - b.feet.y)
  }

  #patternsOf(resident: Resident): Patterns {
    let patterns = this.#patterns.get(resident.row)
    if (patterns === undefined) {
      patterns = patternsOf(resident.row, this.palette)
      this.#patterns.set(resident.row, patterns)
    }
    return patterns
  }

  #drawShown(c: CanvasRenderingContext2D, camera: Camera, shown: Shown, marks: Marks): void {
    const { resident, feet, home, pose, left, strength } = shown
    const { place, figure } = this.#patternsOf(resident)
    const s = camera.scale
    c.globalAlpha = strength
    // The cottage stands behind and to the left of its owner.
    const yard = figure === null ? { x: 0, y: 0 } : { x: -14 * s, y: -14 * s }
    if (place !== null) this.#sprites.draw(c, place, home.x + yard.x, home.y + yard.y, s)
    if (resident.key === marks.selected || resident.key === marks.hovered || resident.key === marks.focused) {
      c.strokeStyle = this.palette.pick
      c.lineWidth = resident.key === marks.hovered ? 1.5 : 2.5
      c.beginPath()
      c.ellipse(feet.x, feet.y - 2 * s, 19 * s, 8.5 * s, 0, 0, Math.PI * 2)
      c.stroke()
    }
    const picture = figure?.[pose]
    if (picture !== undefined) {
      c.fillStyle = this.palette.shadow
      c.beginPath()
      c.ellipse(feet.x + s, feet.y - s, 12 * s, 4.4 * s, 0, 0, Math.PI * 2)
      c.fill()
      // Who arrives comes down with a small hop.
      const hop = (pose > 0 ? 1.6 : 0) + (strength < 1 ? (1 - strength) * 26 : 0)
      this.#sprites.draw(c, picture, feet.x, feet.y - hop * s, s, left)
    }
    c.globalAlpha = 1
  }

  #layPlates(camera: Camera, marks: Marks, now: number): void {
    const few = this.#shown.length <= FEW || camera.scale >= 1.7
    const wants = this.#shown.map((shown) => {
      const { resident } = shown
      const picked = resident.key === marks.selected || resident.key === marks.hovered || resident.key === marks.focused
      const fresh = now < resident.arrived + FRESH
      const full = few || picked
      const platform = full && resident.row.kind === 'agent' ? resident.row.platform ?? '' : ''
      const limit = full ? 160 : Math.max(64 * camera.scale * 1.25, 44)
      shown.sheet = this.#paper.name(resident.row.name, platform, limit, picked ? 'picked' : fresh ? 'fresh' : 'plain')
      const priority = Number(picked) * 4 + Number(resident.speech !== null) * 2 + Number(fresh)
      return { feet: shown.feet, body: shown.body, w: shown.sheet.w, h: shown.sheet.h, priority }
    })
    placePlates(wants).forEach((place, i) => { nth(this.#shown, i).plate = place })
  }

  #drawPlate(c: CanvasRenderingContext2D, { sheet, plate, feet, strength }: Shown): void {
    if (sheet === null || plate === null) return
    const { x, y, w, h } = plate.box
    c.globalAlpha = strength
    if (plate.led) {
      c.strokeStyle = this.palette.plateSoft
      c.lineWidth = 1
      c.beginPath()
      c.moveTo(feet.x, feet.y)
      c.lineTo(clamp(feet.x, x + 6, x + w - 6), y)
      c.stroke()
    }
    c.drawImage(sheet.canvas, x, y, w, h)
    c.globalAlpha = 1
  }

  #drawBubbles(c: CanvasRenderingContext2D, camera: Camera): void {
    const speakers = this.#shown.filter(({ resident, strength }) => resident.speech !== null && strength > 0.5)
    speakers.sort((a, b) => (b.resident.speech?.since ?? 0) - (a.resident.speech?.since ?? 0))
    const sheets = speakers.map(({ resident: { speech } }) => this.#paper.bubble(speech?.text ?? '', speech?.kind ?? 'assistant', camera.width < 560))
    const names = this.#shown.flatMap(({ plate }) => plate === null ? [] : [plate.box])
    const wants = speakers.map(({ head, resident }, i) => ({
      head, w: sheets[i]?.w ?? 0, h: sheets[i]?.h ?? 0, before: resident.speech?.place ?? null,
    }))
    const places = placeBubbles(wants, names, this.#shown.map(({ body }) => body), grown(camera.free, -6))
    speakers.forEach(({ head, resident }, i) => {
      const box = places[i]
      const { speech } = resident
      const sheet = sheets[i]
      if (speech === null || sheet === undefined) return
      speech.place = box == null ? null : { x: box.x - head.x, y: box.y - head.y }
      if (box != null) drawBubble(c, this.palette, head, box, sheet, bubbleFill(this.palette, speech.kind))
    })
  }
}

/** Half the width and the height of what stands there, in ground units. */
function sizeOf({ row }: Resident): [number, number] {
  return row.kind === 'structure' ? [35, 48] : row.kind === 'mcp' ? [16, 56] : [13, 52]
}

function drawBubble(c: CanvasRenderingContext2D, p: Palette, head: Point, box: Box, sheet: Sheet, fill: string): void {
  const foot = { x: clamp(head.x, box.x + 16, box.x + box.w - 16), y: box.y + box.h - 1 }
  if (head.y > foot.y + 1) {
    c.beginPath()
    c.moveTo(foot.x - 5, foot.y)
    c.quadraticCurveTo(foot.x, foot.y + TAIL / 2, head.x, head.y - 1)
    c.quadraticCurveTo(foot.x + 3, foot.y + TAIL / 2, foot.x + 5, foot.y)
    c.fillStyle = fill
    c.strokeStyle = p.edge
    c.lineWidth = 1
    c.stroke()
    c.fill()
  }
  c.drawImage(sheet.canvas, box.x, box.y, box.w, box.h)
}
