import { ARROWS } from './arrows.js'
import type { Bitmap } from './bitmap.js'
import { bitmap } from './bitmap.js'
import type { Camera } from './camera.js'
import { colorOf, diamond } from './dots.js'
import type { Box, Point } from './geometry.js'
import { alike, clamp, contains, grown, holdsBox } from './geometry.js'
import { paintIsland } from './ground.js'
import type { Palette } from './palette.js'
import type { Resident, Residents } from './residents.js'
import type { TownBounds, TownText } from './types.js'

/** The actions of a person on the overview. Points are on the ground, distances in CSS pixels of the map. */
export interface OverviewWishes {
  readonly go: (to: Point, atOnce: boolean) => void
  readonly pan: (dx: number, dy: number) => void
  /** Back to the residents. */
  readonly home: () => void
}

/** The maximum size of the picture, in CSS pixels. */
const MOST = { w: 150, h: 104 } as const
/** A pointer that moved less than this, in CSS pixels, has clicked. */
const SLACK = 4
/** How far the map moves for an arrow key, in CSS pixels. */
const STRIDE = 80

/** Reports whether some residents are out of view: then an overview is needed to get back. Without residents, the land must be in view. */
export function hides(camera: Camera, homes: readonly Point[]): boolean {
  const shown = grown(camera.shown, 1)
  return homes.length === 0 ? !holdsBox(shown, camera.land) : homes.some((home) => !contains(shown, home))
}

/** A small picture of the land: the residents, and a frame around the part that the map shows. It is visible while some residents are out of view. */
export class Overview {
  readonly #button = document.createElement('button')
  readonly #draw: CanvasRenderingContext2D
  /** The picture of the land without residents. */
  #island: { readonly bitmap: Bitmap; readonly bounds: TownBounds; readonly palette: Palette; readonly density: number } | null = null
  #land: Box = { x: 0, y: 0, w: 1, h: 1 }
  #shown: Box = this.#land
  /** CSS pixels per ground unit. */
  #scale = 1
  /** The values that the canvas was drawn with. */
  #drawn: readonly number[] = []
  #palette: Palette | null = null
  /** Whether a person is using it: it stays meanwhile. */
  #held = false

  constructor(host: HTMLElement, text: TownText, private readonly wishes: OverviewWishes, private readonly changed: () => void, signal: AbortSignal) {
    const button = this.#button
    button.type = 'button'
    button.className = 'overview'
    button.hidden = true
    button.setAttribute('aria-label', text.overviewLabel)
    button.title = text.overviewHow
    const canvas = document.createElement('canvas')
    const draw = canvas.getContext('2d', { alpha: false })
    if (draw === null) throw new Error('this browser draws no canvas')
    this.#draw = draw
    button.append(canvas)
    host.append(button)
    this.#listenToPointers(signal)
    this.#listenToKeys(signal)
    signal.addEventListener('abort', () => { button.remove() })
  }

  /** Shows a state, or hides the overview if all residents are in view. An unchanged frame is not drawn again. */
  show(camera: Camera, residents: Residents, palette: Palette, selected: string | null, now: number): void {
    const here = [...residents.all.values()].filter(({ left }) => left === null)
    // A moving camera may pass by residents: only its destination counts.
    if (!camera.gliding) this.#button.hidden = !this.#held && !hides(camera, here.map(({ home }) => home))
    if (this.#button.hidden) return
    this.#settle(camera, residents.bounds, palette)
    const dots = here.map((resident) => ({ resident, at: this.#place(resident.walk?.at(now) ?? resident.home) }))
    const { x, y, w, h } = this.#frame()
    const chosen = here.findIndex(({ key }) => key === selected)
    const looks = [x, y, w, h, chosen, here.findIndex(({ key }) => key === residents.own), ...dots.flatMap(({ at }) => [at.x, at.y])]
    if (palette === this.#palette && alike(looks, this.#drawn)) return
    this.#drawn = looks
    this.#palette = palette
    this.#paint(dots, here[chosen], residents.own, palette)
  }

  /** Updates the land and the camera; the island is repainted if it or its colors changed. */
  #settle(camera: Camera, bounds: TownBounds, palette: Palette): void {
    const { land } = camera
    const density = devicePixelRatio
    this.#shown = camera.shown
    const old = this.#island
    if (old?.bounds === bounds && old.palette === palette && old.density === density) return
    this.#land = land
    this.#scale = Math.min(MOST.w / land.w, MOST.h / land.h)
    const width = Math.max(44, Math.round(land.w * this.#scale))
    const height = Math.max(44, Math.round(land.h * this.#scale))
    const { canvas } = this.#draw
    canvas.width = Math.round(width * density)
    canvas.height = Math.round(height * density)
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
    const scale = this.#scale * density
    const island = bitmap(canvas.width, canvas.height)
    island.draw.fillStyle = palette.sea
    island.draw.fillRect(0, 0, canvas.width, canvas.height)
    const { x, y } = this.#place({ x: 0, y: 0 })
    island.draw.setTransform(scale, 0, 0, scale, x * density, y * density)
    paintIsland(island.draw, bounds, palette, 1 / this.#scale)
    this.#island = { bitmap: island, bounds, palette, density }
    this.#drawn = []
  }

  #paint(dots: readonly { resident: Resident; at: Point }[], chosen: Resident | undefined, own: string | null, palette: Palette): void {
    const island = this.#island
    if (island === null) return
    const { x, y, w, h } = this.#frame()
    const c = this.#draw
    c.setTransform(1, 0, 0, 1, 0, 0)
    c.drawImage(island.bitmap.canvas, 0, 0)
    c.setTransform(island.density, 0, 0, island.density, 0, 0)
    c.fillStyle = palette.dark ? 'rgb(255 255 255 / 14%)' : 'rgb(255 255 255 / 38%)'
    c.fillRect(x, y, w, h)
    for (const { resident, at } of dots) {
      c.beginPath()
      const marked = resident === chosen || resident.key === own
      if (resident.row.kind === 'human') diamond(c, at.x, at.y, marked ? 5.5 : 3.6)
      else c.arc(at.x, at.y, marked ? 4 : 2.4, 0, Math.PI * 2)
      c.fillStyle = colorOf(resident.row, palette)
      c.fill()
      c.strokeStyle = marked ? palette.pick : palette.dark ? '#f4ecdb' : '#ffffff'
      c.lineWidth = marked ? 2 : 0.8
      c.stroke()
    }
    c.strokeStyle = palette.pick
    c.lineWidth = 2
    c.strokeRect(x, y, w, h)
  }

  /** Returns the part that the map shows, in CSS pixels within the picture. */
  #frame(): Box {
    const { width, height } = this.#size
    const from = this.#place(this.#shown)
    const to = this.#place({ x: this.#shown.x + this.#shown.w, y: this.#shown.y + this.#shown.h })
    const left = clamp(from.x, 1, width - 5)
    const top = clamp(from.y, 1, height - 5)
    return { x: left, y: top, w: clamp(to.x, left + 4, width - 1) - left, h: clamp(to.y, top + 4, height - 1) - top }
  }

  get #size(): { width: number; height: number } {
    const { width, height } = this.#draw.canvas
    const density = this.#island?.density ?? devicePixelRatio
    return { width: width / density, height: height / density }
  }

  /** Returns the place of a ground point, in halves of CSS pixels: smaller moves do not change the picture. */
  #place({ x, y }: Point): Point {
    const { width, height } = this.#size
    const half = (value: number): number => Math.round(value * 2) / 2
    return {
      x: half((x - this.#land.x - this.#land.w / 2) * this.#scale + width / 2),
      y: half((y - this.#land.y - this.#land.h / 2) * this.#scale + height / 2),
    }
  }

  /** Returns the ground point under a pointer. */
  #ground(event: MouseEvent): Point {
    const { left, top, width, height } = this.#draw.canvas.getBoundingClientRect()
    const { x, y, w, h } = this.#land
    return {
      x: clamp((event.clientX - left - width / 2) / this.#scale + x + w / 2, x, x + w),
      y: clamp((event.clientY - top - height / 2) / this.#scale + y + h / 2, y, y + h),
    }
  }

  /** A click goes to its position; a drag moves the frame. */
  #listenToPointers(signal: AbortSignal): void {
    const button = this.#button
    let begin: { readonly x: number; readonly y: number; readonly apart: Point } | null = null
    let dragging = false
    button.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return
      button.setPointerCapture(event.pointerId)
      const at = this.#ground(event)
      const { x, y, w, h } = this.#shown
      const apart = contains(this.#shown, at) ? { x: x + w / 2 - at.x, y: y + h / 2 - at.y } : { x: 0, y: 0 }
      begin = { x: event.clientX, y: event.clientY, apart }
      dragging = false
      this.#hold(true)
    }, { signal })
    button.addEventListener('pointermove', (event) => {
      if (begin === null || (!dragging && Math.hypot(event.clientX - begin.x, event.clientY - begin.y) < SLACK)) return
      dragging = true
      const at = this.#ground(event)
      const { x, y, w, h } = this.#land
      this.wishes.go({ x: clamp(at.x + begin.apart.x, x, x + w), y: clamp(at.y + begin.apart.y, y, y + h) }, true)
    }, { signal })
    const up = (event: PointerEvent): void => {
      if (begin !== null && !dragging && event.type === 'pointerup') this.wishes.go(this.#ground(event), false)
      begin = null
      this.#hold(button.matches(':focus-visible'))
    }
    button.addEventListener('pointerup', up, { signal })
    button.addEventListener('pointercancel', up, { signal })
  }

  #listenToKeys(signal: AbortSignal): void {
    const button = this.#button
    // Pointer clicks are handled above: this one is from a key.
    button.addEventListener('click', (event) => { if (event.detail === 0) this.wishes.home() }, { signal })
    button.addEventListener('keydown', (event) => {
      this.#hold(true)
      const arrow = ARROWS[event.key]
      if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      this.wishes.pan(-arrow[0] * STRIDE, -arrow[1] * STRIDE)
    }, { signal })
    button.addEventListener('focus', () => { this.#hold(button.matches(':focus-visible')) }, { signal })
    button.addEventListener('blur', () => { this.#hold(false) }, { signal })
  }

  #hold(held: boolean): void {
    if (held === this.#held) return
    this.#held = held
    this.changed()
  }
}
