import { Allowance } from './allowance.js'
import { bitmap } from './bitmap.js'
import type { Bitmap } from './bitmap.js'
import type { Camera } from './camera.js'
import { Display } from './display.js'
import type { Item } from './display.js'
import { dotOf } from './dots.js'
import type { Box, Point } from './geometry.js'
import { alike, contains, grown, nth } from './geometry.js'
import { paintGround } from './ground.js'
import { Labels } from './labels.js'
import { linesOf } from './lines.js'
import { levelOf, spacing } from './level.js'
import type { Palette } from './palette.js'
import type { Lettering } from './paper.js'
import { Paper } from './paper.js'
import type { Patterns } from './patterns.js'
import { patternsOf } from './patterns.js'
import type { Resident, Residents } from './residents.js'
import type { Marks, Shown } from './shown.js'
import { drawPlatform, drawPointer } from './people.js'
import { asDots, isMarked, look } from './shown.js'
import { signOf } from './signs.js'
import { drawSprite, Sprites } from './sprites.js'
import { itemsOf, printsOf, signsOf } from './trails.js'
import type { TownText } from './types.js'
import { Voices } from './voices.js'

/** The margin around the window for which the ground is painted as well, as a share of its size. */
const MARGIN = 0.12

/** The bitmap of a part of the land. */
interface Ground extends Bitmap {
  readonly box: Box
  readonly scale: number
}

/**
 * Draws the town: the ground from one large bitmap, everything else from small ones. The actors
 * are in front of the ground, the words in front of the actors; of each frame only changes are drawn.
 */
export class Painter {
  readonly #allowance = new Allowance()
  readonly #sprites = new Sprites(this.#allowance)
  readonly #paper: Paper
  readonly #labels: Labels
  readonly #voices: Voices
  #patterns = new WeakMap<object, Patterns>()
  #ground: Ground | null = null
  #shown: Shown[] = []
  readonly #display = new Display()
  /** The view of the last frame: after a change everything is drawn. */
  #view: readonly number[] = []
  /** The share of the window that the last frame drew, from 0 to 1. */
  get drawn(): number { return this.#display.drawn }
  /** Whether there is more to draw than this frame had time for. */
  get behind(): boolean { return this.#allowance.behind }

  constructor(private palette: Palette, private lettering: Lettering, text: TownText) {
    this.#paper = new Paper(palette, lettering)
    this.#labels = new Labels(this.#paper, this.#allowance, text)
    this.#voices = new Voices(this.#paper, this.#allowance)
  }

  /** Sets another palette, density or letter size; every picture is created again. */
  reset(palette: Palette, lettering: Lettering): void {
    this.#ground = null
    this.#display.reset()
    if (palette === this.palette && lettering.density === this.lettering.density && lettering.size === this.lettering.size) return
    this.palette = palette
    this.lettering = lettering
    this.#sprites.clear()
    this.#patterns = new WeakMap()
    this.#paper.reset(palette, lettering)
    this.#labels.clear()
    this.#voices.clear()
  }

  /** Discards the ground, because the land has changed. */
  renewLand(): void { this.#ground = null }

  /**
   * Draws a frame.
   * @param at The shown moment, in milliseconds since 1970.
   */
  draw(c: CanvasRenderingContext2D, camera: Camera, residents: Residents, marks: Marks, now: number, still: boolean, at: number): void {
    const { density, size } = this.lettering
    this.#allowance.begin()
    const all = look(camera, residents, now, still)
    const scale = all[0]?.scale ?? camera.scale
    const level = levelOf(all.length, spacing(all.map(({ home }) => home)) / size, camera.scale / size)
    this.#shown = level === 'dots' ? asDots(all, marks, size) : all
    if (!camera.gliding) this.#sprites.setScale(scale * density)
    const ground = this.#groundFor(camera, residents)
    const view = [camera.x, camera.y, camera.scale, camera.width, camera.height, camera.free.x, camera.free.y]
    if (!alike(view, this.#view)) this.#display.reset()
    this.#view = view
    const trails = [...residents.all.values()].filter((resident) =>
      resident.walk !== null || now < resident.trailUntil || (resident.key === marks.selected && resident.path.length > 1))
    const signs = trails.map((resident) => ({ key: resident.key, signs: signsOf(c, camera, residents.streets, resident, size) }))
    const states = this.#shown.flatMap((shown) => signOf(shown, this.palette, size))
    // Bubbles are placed first: names leave room for them.
    const said = this.#voices.items(this.#shown, camera, marks, this.palette, now)
    this.#labels.lay(this.#shown, level, camera, marks, [...states.map(({ box }) => box), ...signs.flatMap((those) => those.signs.map(({ box }) => box))], this.#voices, now, at)
    const display = this.#display
    for (const resident of trails) display.add(...printsOf(camera, residents.streets, resident, this.palette))
    display.add(...linesOf(this.#shown, marks, this.palette))
    for (const shown of this.#shown) if (shown.dot > 0) display.add(dotOf(shown, this.palette))
    for (const shown of this.#shown) if (shown.dot === 0) display.add(...this.#actors(shown, marks))
    for (const those of signs) display.add(...itemsOf(those.signs, those.key, this.palette, size))
    display.add(...this.#labels.items(this.#shown, this.palette), ...states, ...said)
    c.setTransform(density, 0, 0, density, 0, 0)
    display.paint(c, { x: 0, y: 0, w: camera.width, h: camera.height }, density, () => {
      const { box, canvas, scale: painted } = ground
      const at = { x: camera.screenX(box.x), y: camera.screenY(box.y) }
      if (painted !== camera.scale) c.drawImage(canvas, at.x, at.y, box.w * camera.scale, box.h * camera.scale)
      else c.drawImage(canvas, Math.round(at.x * density) / density, Math.round(at.y * density) / density, canvas.width / density, canvas.height / density)
    })
  }

  /**
   * Returns the resident that is drawn at a point of the window; the one in front.
   * @param slack If there is none, the nearest within this many CSS pixels: a finger is wide.
   */
  hit(at: Point, slack = 0): Resident | undefined {
    for (let i = this.#shown.length - 1; i >= 0; i--) {
      const { body, plate, resident } = nth(this.#shown, i)
      if (contains(body, at) || (plate !== null && contains(plate.box, at))) return resident
    }
    let nearest: Resident | undefined
    let least = slack
    for (const { body, resident } of this.#shown) {
      const away = Math.hypot(body.x + body.w / 2 - at.x, body.y + body.h / 2 - at.y)
      if (away <= least && slack > 0) [nearest, least] = [resident, away]
    }
    return nearest
  }

  /** Returns the speaker of the bubble at a point of the window. */
  speaker(at: Point): string | undefined {
    return this.#voices.shown.find(({ box, opens }) => opens && contains(box, at))?.key
  }

  /** Returns the bitmap of the ground, repainted if the old one cannot be used. */
  #groundFor(camera: Camera, residents: Residents): Ground {
    const seen = camera.seen
    const old = this.#ground
    const ratio = old === null ? 0 : camera.scale / old.scale
    const covered = old !== null && seen.x >= old.box.x && seen.y >= old.box.y
      && seen.x + seen.w <= old.box.x + old.box.w && seen.y + seen.h <= old.box.y + old.box.h
    return old === null || !covered || (!camera.gliding && ratio !== 1) || ratio > 1.6 ? this.#paintGround(camera, residents) : old
  }

  #paintGround(camera: Camera, residents: Residents): Ground {
    this.#display.reset()
    const scale = camera.scale * this.lettering.density
    const wanted = grown(camera.seen, (Math.max(camera.width, camera.height) * MARGIN) / camera.scale)
    const width = Math.ceil(wanted.w * scale)
    const height = Math.ceil(wanted.h * scale)
    // Aligned to whole pixels of the window, with the same number of pixels: copying is fast, filtering is not.
    const whole = (at: number): number => Math.floor(at * this.lettering.density) / this.lettering.density
    const from = camera.ground({ x: whole(camera.screenX(wanted.x)), y: whole(camera.screenY(wanted.y)) })
    const box = { ...from, w: width / scale, h: height / scale }
    const kept = this.#ground
    const paper = kept?.canvas.width === width && kept.canvas.height === height ? kept : bitmap(width, height)
    paper.draw.setTransform(scale, 0, 0, scale, -box.x * scale, -box.y * scale)
    paintGround(paper.draw, box, residents.bounds, residents.streets, this.palette)
    return this.#ground = { canvas: paper.canvas, draw: paper.draw, box, scale: camera.scale }
  }

  #patternsOf(resident: Resident): Patterns {
    let patterns = this.#patterns.get(resident.row)
    if (patterns === undefined) {
      patterns = patternsOf(resident.row, this.palette)
      this.#patterns.set(resident.row, patterns)
    }
    return patterns
  }

  /** Returns the cottage of a resident and the figure, which may be away from it. */
  #actors(shown: Shown, marks: Marks): Item[] {
    const { resident: { key, row }, feet, home, pose, left, strength, scale: s, own } = shown
    const { place, figure } = this.#patternsOf(shown.resident)
    const items: Item[] = []
    const cottage = place === null ? undefined : this.#sprites.get(place)
    if (place !== null && cottage !== undefined) {
      // The cottage is behind its owner, to the left.
      const x = home.x - (figure === null ? 0 : 14 * s)
      const y = home.y - (figure === null ? 0 : 14 * s)
      const { left: from, top, width, height } = place.frame
      items.push({
        name: `place ${key}`, looks: [cottage, strength], box: { x: x + from * s, y: y + top * s, w: width * s, h: height * s },
        draw: (c) => {
          c.globalAlpha = strength
          drawSprite(c, cottage, place.frame, x, y, s)
          c.globalAlpha = 1
        },
      })
    }
    const picture = figure?.[pose]
    const body = picture === undefined ? undefined : this.#sprites.get(picture)
    const ring = !isMarked(key, marks) ? 0 : key === marks.hovered ? 1.5 : 2.5
    // A new arrival comes down with a small hop.
    const hop = (pose > 0 ? 1.6 : 0) + (strength < 1 ? (1 - strength) * 26 : 0)
    const half = Math.max(20, ...(picture === undefined ? [] : [-picture.frame.left, picture.frame.left + picture.frame.width])) * s + 2
    const person = row.kind === 'human'
    const above = Math.max(12, -(picture?.frame.top ?? 0) + hop + (own ? 16 : 0)) * s + 2
    const below = Math.max(9, (picture === undefined ? 0 : picture.frame.top + picture.frame.height)) * s + 2
    if (ring > 0 || body !== undefined) {
      items.push({
        name: `figure ${key}`, looks: [body, left, strength, ring, hop, own, feet.x, feet.y, this.palette],
        box: { x: feet.x - half, y: feet.y - above, w: 2 * half, h: above + below },
        draw: (c) => {
          c.globalAlpha = strength
          if (person) drawPlatform(c, feet, s, own, this.palette)
          if (ring > 0) this.#drawRing(c, feet, s, ring)
          if (picture !== undefined && body !== undefined) {
            c.fillStyle = this.palette.shadow
            c.beginPath()
            c.ellipse(feet.x + s, feet.y - s, 12 * s, 4.4 * s, 0, 0, Math.PI * 2)
            c.fill()
            drawSprite(c, body, picture.frame, feet.x, feet.y - hop * s, s, left)
            if (own) drawPointer(c, { x: feet.x, y: feet.y + (picture.frame.top - hop) * s }, s, this.palette)
          }
          c.globalAlpha = 1
        },
      })
    }
    return items
  }

  #drawRing(c: CanvasRenderingContext2D, feet: Point, s: number, width: number): void {
    c.strokeStyle = this.palette.pick
    c.lineWidth = width
    c.beginPath()
    c.ellipse(feet.x, feet.y - 2 * s, 19 * s, 8.5 * s, 0, 0, Math.PI * 2)
    c.stroke()
  }
}
