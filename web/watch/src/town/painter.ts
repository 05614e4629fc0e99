import { Allowance } from './allowance.js'
import { bitmap } from './bitmap.js'
import type { Bitmap } from './bitmap.js'
import type { Camera } from './camera.js'
import type { Box, Point } from './geometry.js'
import { contains, grown, nth } from './geometry.js'
import { paintGround } from './ground.js'
import { Labels } from './labels.js'
import type { Palette } from './palette.js'
import type { Lettering } from './paper.js'
import { Paper } from './paper.js'
import type { Patterns } from './patterns.js'
import { patternsOf } from './patterns.js'
import type { Resident, Residents } from './residents.js'
import type { Marks, Shown } from './shown.js'
import { isMarked, look } from './shown.js'
import { Sprites } from './sprites.js'
import { drawPrints, drawSigns, signsOf } from './trails.js'
import { Voices } from './voices.js'

/** The part of the window around it that the ground is painted for as well. */
const MARGIN = 0.12

/** Draws the town: the ground from one large bitmap, everything else from small ones. */
export class Painter {
  readonly #allowance = new Allowance()
  readonly #sprites = new Sprites(this.#allowance)
  readonly #paper: Paper
  readonly #labels: Labels
  readonly #voices: Voices
  #patterns = new WeakMap<object, Patterns>()
  #ground: (Bitmap & { box: Box; scale: number }) | null = null
  #shown: Shown[] = []
  /** Whether there is more to draw than this frame had time for: pictures, or names that make room for who speaks. */
  get behind(): boolean { return this.#allowance.behind || this.#voices.news }

  constructor(private palette: Palette, private lettering: Lettering) {
    this.#paper = new Paper(palette, lettering)
    this.#labels = new Labels(this.#paper, this.#allowance)
    this.#voices = new Voices(this.#paper, this.#allowance)
  }

  /** Takes another palette, density or size of letters; every picture is made again. */
  reset(palette: Palette, lettering: Lettering): void {
    this.#ground = null
    if (palette === this.palette && lettering.density === this.lettering.density && lettering.size === this.lettering.size) return
    this.palette = palette
    this.lettering = lettering
    this.#sprites.clear()
    this.#patterns = new WeakMap()
    this.#paper.reset(palette, lettering)
    this.#labels.clear()
    this.#voices.clear()
  }

  /** Takes another land. */
  renewLand(): void { this.#ground = null }

  /** Draws a frame. */
  draw(c: CanvasRenderingContext2D, camera: Camera, residents: Residents, marks: Marks, now: number, still: boolean): void {
    const { density, size } = this.lettering
    this.#allowance.begin()
    this.#shown = look(camera, residents, now, still)
    const scale = this.#shown[0]?.scale ?? camera.scale
    if (!camera.gliding) this.#sprites.setScale(scale * density)
    c.setTransform(density, 0, 0, density, 0, 0)
    this.#drawGround(c, camera, residents)
    const trails = [...residents.all.values()].filter((resident) =>
      resident.walk !== null || now < resident.trailUntil || (resident.key === marks.selected && resident.path.length > 1))
    for (const resident of trails) drawPrints(c, camera, residents.streets, resident, this.palette)
    for (const shown of this.#shown) this.#drawShown(c, shown, marks)
    const signs = trails.flatMap((resident) => signsOf(c, camera, residents.streets, resident, size))
    this.#labels.lay(this.#shown, camera, marks, signs.map(({ box }) => box), now)
    drawSigns(c, signs, this.palette, size)
    this.#voices.draw(c, this.#shown, camera, marks, this.palette, now)
    this.#labels.draw(c, this.#shown, this.palette)
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
    const scale = camera.scale * this.lettering.density
    const width = Math.ceil(box.w * scale)
    const height = Math.ceil(box.h * scale)
    const kept = this.#ground
    const paper = kept?.canvas.width === width && kept.canvas.height === height ? kept : bitmap(width, height)
    paper.draw.setTransform(scale, 0, 0, scale, -box.x * scale, -box.y * scale)
    paintGround(paper.draw, box, residents.bounds, residents.streets, this.palette)
    this.#ground = { canvas: paper.canvas, draw: paper.draw, box, scale: camera.scale }
  }

  #patternsOf(resident: Resident): Patterns {
    let patterns = this.#patterns.get(resident.row)
    if (patterns === undefined) {
      patterns = patternsOf(resident.row, this.palette)
      this.#patterns.set(resident.row, patterns)
    }
    return patterns
  }

  #drawShown(c: CanvasRenderingContext2D, shown: Shown, marks: Marks): void {
    const { resident, feet, home, pose, left, strength, scale: s } = shown
    const { place, figure } = this.#patternsOf(resident)
    c.globalAlpha = strength
    // The cottage stands behind and to the left of its owner.
    const yard = figure === null ? { x: 0, y: 0 } : { x: -14 * s, y: -14 * s }
    if (place !== null) this.#sprites.draw(c, place, home.x + yard.x, home.y + yard.y, s)
    if (isMarked(resident.key, marks)) {
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
}
