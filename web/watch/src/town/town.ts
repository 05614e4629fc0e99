import { Camera, DRIFT } from './camera.js'
import type { View } from './camera.js'
import { nextInDirection } from './arrows.js'
import { listen } from './controls.js'
import { mapCanvas } from './element.js'
import type { Box, Point } from './geometry.js'
import { holdsBox } from './geometry.js'
import { boxAround } from './level.js'
import { Overview } from './overview.js'
import { Pace } from './pace.js'
import { Painter } from './painter.js'
import type { Lettering } from './paper.js'
import { letterSize, WALL } from './paper.js'
import { paletteOf } from './palette.js'
import type { Own, Resident } from './residents.js'
import { Residents } from './residents.js'
import { islandBox, toCells } from './terrain.js'
import { together } from './visit.js'
import type {
  TownInsets, TownJourney, TownLine, TownOptions, TownSignal, TownTheme, TownWorld,
} from './types.js'

export * from './types.js'

/** The least scale for a resident that is brought into view. */
const NEAR = 1.1

/**
 * The town: a live picture of a world on a canvas that fills its host element.
 *
 * It draws only while something moves. Its memory is bounded: bubbles,
 * trails and cached figures that are no longer visible are removed, and a name
 * with its resident. Every call is cheap and may come at any time, also several
 * times in one frame.
 *
 * A screen reader cannot read a canvas: the page also lists the occupants, and
 * reads out the sentences of `onAnnounce`.
 */
export class Town {
  /** The focusable element; arrow keys select occupants, with Shift move the view, Enter selects, + and - zoom, 0 fits. */
  readonly canvas: HTMLCanvasElement

  readonly #options: TownOptions
  readonly #draw: CanvasRenderingContext2D
  readonly #camera = new Camera()
  readonly #residents: Residents
  readonly #painter: Painter
  readonly #overview: Overview
  readonly #ends = new AbortController()
  readonly #sizes: ResizeObserver
  #insets: TownInsets
  #theme: TownTheme
  #still: boolean
  /** The shown moment of the past, in milliseconds since 1970; undefined shows the present. */
  #at: number | undefined
  #selected: string | null = null
  #hovered: string | null = null
  #focused: string | null = null
  /** Whether the person moved the camera: then it stays. */
  #steered = false
  /** Whether the person wants to see the whole land, not only the inhabited part. */
  #whole = false
  /** The box that the camera was fitted to. */
  #fittedTo: Box = { x: 0, y: 0, w: 0, h: 0 }
  /** The key of the walker that the camera follows during a walk. */
  #followed: string | null = null
  /** The key of the occupant that the camera follows, walking or not. */
  #kept: string | null = null
  /** The distance walked by the reader's own figure at the last frame. */
  #walked: number | undefined
  readonly #pace = new Pace(() => { this.#render() })

  constructor(host: HTMLElement, options: TownOptions) {
    this.#options = options
    this.#theme = options.theme
    this.#still = options.reducedMotion
    this.#insets = options.insets ?? { top: 0, right: 0, bottom: 0, left: 0 }
    if (options.wall === true) this.#camera.glide = DRIFT
    this.#residents = new Residents(options.text)
    const { canvas, draw } = mapCanvas(options.text)
    this.canvas = canvas
    this.#draw = draw
    this.#painter = new Painter(paletteOf(options.theme), this.#lettering, options.text)
    host.append(this.canvas)
    this.#overview = new Overview(host, options.text, {
      go: (to, atOnce) => { this.#leave(); this.#glide(this.#camera.at(to, 0), atOnce || this.#still) },
      pan: (dx, dy) => { this.#pan(dx, dy) },
      home: () => { this.#home() },
    }, () => { this.#pace.wake() }, this.#ends.signal)
    this.#listen()
    this.#sizes = new ResizeObserver(() => { this.#resize() })
    this.#sizes.observe(host)
    this.#camera.setLand(islandBox(this.#residents.bounds))
    this.#resize()
  }

  /** Sets the state of the world: new occupants arrive, missing ones leave. */
  setWorld(world: TownWorld): void {
    this.#at = world.at
    if (this.#residents.take(world, performance.now(), this.#still)) {
      this.#camera.setLand(islandBox(this.#residents.bounds))
      this.#painter.renewLand()
      if (!this.#steered) this.#fit(true)
    } else if (!this.#steered && !this.#whole && !holdsBox(this.#fittedTo, this.#inhabited)) this.#fit(this.#still)
    this.#pace.soon()
  }

  /** Shows a line above its speaker; nothing if the speaker is unknown. */
  say(line: TownLine): void {
    const speaker = this.#residents.find(line.playerId)
    if (speaker === undefined || line.text.trim() === '') return
    this.#residents.say(speaker, line.text, line.role, performance.now())
    this.#pace.soon()
  }

  /** Ends all bubbles and every walk: another moment is shown. */
  stopAll(): void {
    this.#residents.stopAll()
    this.#pace.soon()
  }

  /** Starts an agent's walk along a journey, on a trail that remains for a while. */
  journey(journey: TownJourney): void {
    const walker = this.#residents.find(journey.playerId)
    if (walker === undefined) return
    this.#residents.send(walker, journey.path, 0, false, performance.now(), this.#still)
    this.#pace.soon()
  }

  /** Shows the sign of a signal above an agent. */
  signal(signal: TownSignal): void {
    const agent = this.#residents.find(signal.playerId)
    if (agent === undefined) return
    this.#residents.sign(agent, signal.kind, performance.now())
    this.#pace.soon()
  }

  /** Selects an occupant by its stable key, or nobody; does not call `onSelect`. */
  select(key: string | null): void {
    this.#selected = key
    this.#pace.wake()
  }

  /** Selects an occupant and brings it into view; the camera follows a walker. */
  focus(key: string): void {
    this.select(key)
    const resident = this.#residents.find(key)
    if (resident === undefined) return
    this.#show(resident, NEAR)
    this.#followed = resident.walk === null ? null : key
  }

  /** Makes the camera follow an occupant, until the person moves the camera; null ends it. */
  keepTo(key: string | null): void {
    this.#kept = key
    const resident = key === null ? undefined : this.#residents.find(key)
    if (resident !== undefined) this.#show(resident, NEAR)
  }

  /** Sets the way of the reader's own figure, which the camera follows; null lets its row determine its position again. */
  steer(own: Own | null): void {
    this.#residents.steer(own)
    this.#pace.wake()
  }

  /** The point of the map in the middle of the view, in cells. */
  get middle(): Point { return toCells(this.#camera) }

  /** Moves the camera to an occupant, with the others that fit into the view; to the inhabited part if none is given. */
  visit(keys: readonly string[]): void {
    const [first, ...others] = keys.flatMap((key) => this.#residents.find(key) ?? [])
    if (first === undefined) { this.#home(); return }
    this.#leave()
    if (first.walk !== null) this.#followed = first.key
    this.#glide(together(this.#camera, first, others, performance.now()), this.#still)
  }

  /** Shows the whole town. */
  fit(): void {
    this.#steered = false
    this.#whole = true
    this.#leave()
    this.#fit(this.#still)
  }

  /** Zooms by a factor around the middle of the view. */
  zoomBy(factor: number): void {
    const { x, y, w, h } = this.#camera.free
    this.#zoom(factor, { x: x + w / 2, y: y + h / 2 })
  }

  /**
   * Shows the last journey of an agent: it is walked from a step; with hold, the
   * walker goes to the step and stays until {@link stopJourney}. The camera follows
   * a walker that would leave the view, until the person moves it.
   */
  playJourney(key: string, step = 0, hold = false): void {
    const walker = this.#residents.find(key)
    if (walker === undefined || walker.path.length === 0) return
    this.#residents.send(walker, walker.path, step, hold, performance.now(), this.#still)
    this.#followed = walker.key
    this.#pace.wake()
  }

  /** Sends the walker of an agent home. */
  stopJourney(key: string): void {
    const walker = this.#residents.find(key)
    if (walker === undefined) return
    this.#followed = null
    this.#residents.recall(walker, performance.now(), this.#still)
    this.#pace.wake()
  }

  /** Changes the palette. */
  setTheme(theme: TownTheme): void {
    if (theme === this.#theme) return
    this.#theme = theme
    this.#painter.reset(paletteOf(theme), this.#lettering)
    this.#pace.wake()
  }

  /** Turns walking and fading off or on. */
  setReducedMotion(reduced: boolean): void {
    this.#still = reduced
    this.#pace.wake()
  }

  /** Sets the space at the edges of the canvas that panels cover. */
  setInsets(insets: TownInsets): void {
    this.#insets = insets
    this.#resize()
  }

  /** Ends everything and removes the canvas. The town cannot be used afterwards. */
  destroy(): void {
    this.#ends.abort()
    this.#sizes.disconnect()
    this.#pace.end()
    this.canvas.remove()
  }

  #listen(): void {
    listen(this.canvas, {
      pan: (dx, dy) => { this.#pan(dx, dy) },
      zoom: (factor, about) => { if (about === null) this.zoomBy(factor); else this.#zoom(factor, about) },
      pick: (at, slack) => { this.#pick(at, slack) },
      hover: (at) => { this.#hover(at) },
      fit: () => { this.fit() },
      move: (dx, dy) => { this.#move(dx, dy) },
      choose: (chosen) => { this.#choose(chosen ? this.#focused : null) },
    }, this.#ends.signal)
    this.canvas.addEventListener('blur', () => { this.#focused = null; this.#pace.wake() }, { signal: this.#ends.signal })
  }

  #pick(at: Point, slack: number): void {
    const speaker = this.#painter.speaker(at)
    if (speaker !== undefined && this.#options.onRead !== undefined) this.#options.onRead(speaker)
    else this.#choose(this.#painter.hit(at, slack)?.key ?? null)
  }

  #choose(key: string | null): void {
    if (this.#options.wall === true) return
    this.select(key)
    this.#options.onSelect?.(key)
  }

  #hover(at: Point | null): void {
    const key = at === null ? null : this.#painter.hit(at)?.key ?? null
    this.canvas.style.cursor = key === null ? at !== null && this.#painter.speaker(at) !== undefined ? 'zoom-in' : 'grab' : 'pointer'
    if (key === this.#hovered) return
    this.#hovered = key
    this.#options.onHover?.(key)
    this.#pace.wake()
  }

  #move(dx: number, dy: number): void {
    const all = [...this.#residents.all.values()].filter((resident) => resident.left === null)
    const current = this.#residents.find(this.#focused ?? this.#selected ?? '')
    const next = nextInDirection(all, current ?? null, [dx, dy], this.#camera)
    if (next === undefined) { this.#pan(-dx * 80, -dy * 80); return }
    this.#focused = next.key
    this.#options.onAnnounce?.(this.#options.text.describe(next.row))
    const { x, y, w, h } = this.#camera.free
    const at = { x: this.#camera.screenX(next.home.x), y: this.#camera.screenY(next.home.y) }
    if (at.x < x + 40 || at.y < y + 60 || at.x > x + w - 40 || at.y > y + h - 40) this.#show(next, 0)
    this.#pace.wake()
  }

  #pan(dx: number, dy: number): void {
    this.#steered = true
    this.#leave()
    this.#camera.pan(dx, dy)
    this.#pace.wake()
  }

  #home(): void {
    this.#steered = false
    this.#whole = false
    this.#leave()
    this.#fit(this.#still)
  }

  #show(resident: Resident, scale: number): void {
    this.#glide(this.#camera.at(resident.walk?.at(performance.now()) ?? resident.home, scale), this.#still)
  }

  #glide(to: View, atOnce: boolean): void {
    this.#steered = true
    this.#camera.go(to, performance.now(), atOnce)
    this.#pace.wake()
  }

  #zoom(factor: number, about: Point): void {
    this.#steered = true
    this.#followed = null
    this.#camera.zoom(factor, about)
    this.#pace.wake()
  }

  #fit(atOnce: boolean): void {
    const part = this.#inhabited
    const middle = { x: part.x + part.w / 2, y: part.y + part.h / 2 }
    this.#fittedTo = part
    this.#camera.go(this.#whole ? this.#camera.fitted(middle) : this.#camera.around(part), performance.now(), atOnce)
    this.#pace.wake()
  }

  /** The inhabited part of the land; all of it without residents. */
  get #inhabited(): Box {
    const homes = [...this.#residents.all.values()].map(({ home }) => home)
    return homes.length === 0 ? islandBox(this.#residents.bounds) : boxAround(homes)
  }

  get #lettering(): Lettering {
    const { clientWidth, clientHeight } = this.canvas
    return { density: devicePixelRatio, size: letterSize(clientWidth, clientHeight, this.#options.wall === true ? WALL : 1) }
  }

  #resize(): void {
    const width = this.canvas.clientWidth
    const height = this.canvas.clientHeight
    const lettering = this.#lettering
    const { density } = lettering
    this.#camera.resize(width, height, this.#insets)
    this.canvas.width = Math.max(1, Math.round(width * density))
    this.canvas.height = Math.max(1, Math.round(height * density))
    this.#painter.reset(paletteOf(this.#theme), lettering)
    if (!this.#steered) this.#fit(true)
    this.#render()
  }

  #leave(): void {
    this.#followed = null
    if (this.#kept === null) return
    this.#kept = null
    this.#options.onLeave?.()
  }

  #follow(now: number): void {
    const { own } = this.#residents
    const stand = own === null ? undefined : this.#residents.find(own)?.walk?.at(now)
    const [before, walked] = [this.#walked, stand?.walked]
    this.#walked = walked
    if (stand !== undefined && before !== undefined && walked !== before) {
      this.#steered = true
      this.#leave()
      this.#camera.keepIn(stand)
      return
    }
    const key = this.#kept ?? this.#followed
    const walker = key === null ? undefined : this.#residents.find(key)
    if (walker === undefined || (walker.walk === null && this.#kept === null)) {
      this.#followed = null
      return
    }
    const at = walker.walk?.at(now) ?? walker.home
    if (this.#camera.gliding || this.#camera.holds(at)) return
    this.#steered = true
    this.#camera.go(this.#camera.at(at, 0), now, this.#still)
  }

  #render(): void {
    const now = performance.now()
    this.#pace.begin(now)
    this.#follow(now)
    const gliding = this.#camera.step(now)
    const { next, moves } = this.#residents.pass(now, (resident, step) => { this.#options.onStep?.(resident.key, step) })
    const marks = { selected: this.#selected, hovered: this.#hovered, focused: this.#focused }
    this.#painter.draw(this.#draw, this.#camera, this.#residents, marks, now, this.#still, this.#at ?? Date.now())
    this.#overview.show(this.#camera, this.#residents, paletteOf(this.#theme), this.#selected, now)
    if (gliding) this.#pace.wake()
    else if (this.#painter.behind || (moves && !this.#still)) this.#pace.soon()
    else if (moves) this.#pace.after(100)
    // The delay of setTimeout is a 32-bit number.
    else if (next < Infinity) this.#pace.after(Math.min(Math.max(next - now, 1) + 1, 2 ** 30))
  }
}
