import type { Box, Point } from './geometry.js'
import { between, clamp, ease } from './geometry.js'
import type { TownInsets } from './types.js'

/** The largest scale, in CSS pixels per ground unit. */
const CLOSEST = 4
/** The smallest scale of a fitted town, which a town of the usual size has on a phone; of a larger town, only a part is shown. */
const READABLE = 0.2
/** In a window smaller than this, in CSS pixels, the town is scaled down in proportion, so that its content remains in view. */
const ROOM = { w: 320, h: 190 } as const
const LEAST_ROOM = 0.4
/** The largest scale of a part of the town at the start, and how much larger it must be than the scale of the whole town. */
const HOMELY = 1.3
const WORTH = 1.15
/** The duration of a camera move in milliseconds, and of one on a wall screen. */
const GLIDE = 420
export const DRIFT = 2600

/** The space for a figure's picture, name and words beside, above and below its feet, in CSS pixels. */
const SIDES = 60
const ABOVE = 84
const BELOW = 40

/** The share of the free window in which a figure can walk before the camera follows. */
const INNER = 0.4
/** How far the middle of a figure is above its feet, in ground units. */
const WAIST = 26

export interface View { x: number; y: number; scale: number }

/** The visible part of the ground: its middle and scale, in a window of CSS pixels. */
export class Camera {
  /** The ground point in the middle of the free part of the window. */
  x = 0
  y = 0
  /** CSS pixels per ground unit. */
  scale = 1
  /** The duration of a glide in milliseconds. */
  glide = GLIDE
  /** The size of the window in CSS pixels. */
  width = 1
  height = 1
  #insets: TownInsets = { top: 0, right: 0, bottom: 0, left: 0 }
  #land: Box = { x: 0, y: 0, w: 1, h: 1 }
  #glide: { from: View; to: View; start: number } | null = null

  /** Sets the window's size and the insets at its edges. */
  resize(width: number, height: number, insets: TownInsets): void {
    this.width = Math.max(width, 1)
    this.height = Math.max(height, 1)
    this.#insets = insets
  }

  /** Sets the visible land; the middle of the view stays on it. */
  setLand(land: Box): void {
    this.#land = land
    this.#keep()
  }

  /** The free part of the window, in CSS pixels. */
  get free(): Box {
    const { top, right, bottom, left } = this.#insets
    return { x: left, y: top, w: Math.max(this.width - left - right, 1), h: Math.max(this.height - top - bottom, 1) }
  }

  /** The visible land. */
  get land(): Box { return this.#land }

  /** The part of the ground that the free part of the window shows. */
  get shown(): Box {
    const { x, y, w, h } = this.free
    return { ...this.ground({ x, y }), w: w / this.scale, h: h / this.scale }
  }

  /** Whether the camera moves by itself at present. */
  get gliding(): boolean { return this.#glide !== null }

  /** Returns the x of a ground point in the window. */
  screenX(x: number): number { return (x - this.x) * this.scale + this.free.x + this.free.w / 2 }

  /** Returns the y of a ground point in the window. */
  screenY(y: number): number { return (y - this.y) * this.scale + this.free.y + this.free.h / 2 }

  /** Returns the ground point at a point of the window. */
  ground(point: Point): Point {
    const free = this.free
    return {
      x: (point.x - free.x - free.w / 2) / this.scale + this.x,
      y: (point.y - free.y - free.h / 2) / this.scale + this.y,
    }
  }

  /** The part of the ground that the whole window shows. */
  get seen(): Box {
    const from = this.ground({ x: 0, y: 0 })
    return { x: from.x, y: from.y, w: this.width / this.scale, h: this.height / this.scale }
  }

  /** Reports whether a ground point is in the free part of the window, far enough from its edges that a figure there is visible with its words. */
  holds(point: Point): boolean {
    const { x, y, w, h } = this.free
    const at = { x: this.screenX(point.x), y: this.screenY(point.y) }
    const sides = Math.min(SIDES, w / 4)
    return at.x >= x + sides && at.x <= x + w - sides && at.y >= y + Math.min(ABOVE, h / 2) && at.y <= y + h - Math.min(BELOW, h / 4)
  }

  /** Moves the view by CSS pixels. */
  pan(dx: number, dy: number): void {
    this.#glide = null
    this.x -= dx / this.scale
    this.y -= dy / this.scale
    this.#keep()
  }

  /** Moves the view just enough that a figure at a ground point is in the inner part of the free window; a glide ends first. */
  keepIn(point: Point): void {
    if (this.gliding) return
    const { w, h } = this.free
    const [across, down] = [(w * INNER) / 2 / this.scale, (h * INNER) / 2 / this.scale]
    this.x = clamp(this.x, point.x - across, point.x + across)
    this.y = clamp(this.y, point.y - WAIST - down, point.y - WAIST + down)
    this.#keep()
  }

  /** Zooms; the ground under a point of the window stays there. */
  zoom(factor: number, about: Point): void {
    this.#glide = null
    const before = this.ground(about)
    this.scale = clamp(this.scale * factor, this.#farthest(), CLOSEST)
    const after = this.ground(about)
    this.x += before.x - after.x
    this.y += before.y - after.y
    this.#keep()
  }

  /** Returns the view of the whole land; if that would be too small to read, of the part around a point. */
  fitted(around: Point): View {
    const { w, h } = this.free
    const whole = Math.min(w / this.#land.w, h / this.#land.h)
    const least = READABLE * clamp(Math.min(w / ROOM.w, h / ROOM.h), LEAST_ROOM, 1)
    if (whole >= least) {
      return { x: this.#land.x + this.#land.w / 2, y: this.#land.y + this.#land.h / 2, scale: Math.min(whole, 1.6) }
    }
    const scale = least
    return { x: this.#within(around.x, this.#land.x, this.#land.w, w / scale), y: this.#within(around.y, this.#land.y, this.#land.h, h / scale), scale }
  }

  /** Returns the view of a part of the land, with room for the pictures, names and words of figures at its edges; the whole land if that is hardly smaller. */
  around(part: Box, most = HOMELY): View {
    const { w, h } = this.free
    const middle = { x: part.x + part.w / 2, y: part.y + part.h / 2 }
    const whole = this.fitted(middle)
    const across = Math.max(w - 2 * SIDES, w / 2) / Math.max(part.w, 1)
    const down = Math.max(h - ABOVE - BELOW, h / 2) / Math.max(part.h, 1)
    const scale = Math.min(across, down, most)
    return scale < whole.scale * WORTH ? whole : { ...middle, scale }
  }

  /** Returns a view moved just enough that it shows land, not the sea around it. */
  ashore({ x, y, scale }: View): View {
    const { w, h } = this.free
    return { x: this.#within(x, this.#land.x, this.#land.w, w / scale), y: this.#within(y, this.#land.y, this.#land.h, h / scale), scale }
  }

  /** Returns the view from a ground point at a scale of at least the given one. */
  at(point: Point, least: number): View {
    return { x: point.x, y: point.y, scale: Math.max(this.scale, least) }
  }

  /** Goes to a view, at once or in a glide that {@link step} continues. */
  go(to: View, now: number, atOnce: boolean): void {
    if (atOnce) {
      Object.assign(this, { x: to.x, y: to.y, scale: to.scale })
      this.#glide = null
    } else {
      this.#glide = { from: { x: this.x, y: this.y, scale: this.scale }, to, start: now }
    }
  }

  /** Continues a glide; reports whether it is still running. */
  step(now: number): boolean {
    if (this.#glide === null) return false
    const { from, to, start } = this.#glide
    const share = clamp((now - start) / this.glide, 0, 1)
    const way = ease(share)
    this.x = between(from.x, to.x, way)
    this.y = between(from.y, to.y, way)
    this.scale = from.scale * (to.scale / from.scale) ** way
    if (share >= 1) this.#glide = null
    return this.#glide !== null
  }

  #farthest(): number {
    const { w, h } = this.free
    return Math.min(READABLE, Math.min(w / this.#land.w, h / this.#land.h)) * 0.8
  }

  #within(wanted: number, from: number, size: number, seen: number): number {
    return seen >= size ? from + size / 2 : clamp(wanted, from + seen / 2, from + size - seen / 2)
  }

  #keep(): void {
    this.x = clamp(this.x, this.#land.x, this.#land.x + this.#land.w)
    this.y = clamp(this.y, this.#land.y, this.#land.y + this.#land.h)
  }
}
