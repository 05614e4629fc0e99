import type { Point } from '../town/geometry.js'
import { clamp } from '../town/geometry.js'
import { FEET } from '../town/residents.js'
import { CELL, toGround } from '../town/terrain.js'
import type { TownBounds } from '../town/types.js'
import type { Stand, Way } from '../town/walk.js'
import { SPEED } from '../town/walk.js'

/** Cells per second: the speed of agents. */
export const PACE = SPEED / CELL.w
/** A walk shorter than this, in cells, is one step. */
const STEP = 0.5
/** A figure that stops beyond this part of a cell continues to the next cell. */
const ONWARD = 0.2
/** A longer time between frames, in milliseconds, counts as this: after sleep, the figure does not jump. */
const LONGEST = 250

/** The land on which the figure walks. */
export interface Land {
  readonly bounds: () => TownBounds
  /** Returns the cell to stand on instead of an occupied one, when coming from a direction. */
  readonly free: (cell: Point, towards: Point) => Point
}

/**
 * The walk of a steered figure: it moves in its direction, and on a stop continues to a cell.
 * A short press of a key is one step. It has no clock: times are arguments.
 */
export class Movement implements Way {
  readonly end = Infinity
  #at: Point
  #start: Point
  #heading: Point = { x: 0, y: 0 }
  /** Where it will stop; null while it has a direction. */
  #goal: Point | null = null
  #then = 0
  #due = 0
  #walked = 0
  #left = false

  /** @param still Without walking: it is on the next cell at once. */
  constructor(cell: Point, private readonly land: Land, private readonly still: () => boolean) {
    this.#at = cell
    this.#start = cell
  }

  /** Whether it moves. */
  get moving(): boolean { return this.#goal !== null || this.#headed }

  /** Its position, in cells. */
  get place(): Point { return this.#at }

  /** The cell on which it stands or will stop. */
  get cell(): Point { return rounded(this.#goal ?? this.#at) }

  /** Sets the direction, of a length from 0 to 1; 0 stops. */
  head(to: Point, now: number): void {
    this.at(now)
    const length = Math.hypot(to.x, to.y)
    const heading = length > 1 ? { x: to.x / length, y: to.y / length } : to
    const before = this.#heading
    if (heading.x === before.x && heading.y === before.y) return
    if (!this.#headed) {
      this.#start = this.#at
      this.#due = now
    }
    this.#heading = heading
    if (heading.x === 0 && heading.y === 0) this.#rest(before)
    else this.#goal = null
    this.#then = now
    this.at(now)
  }

  /** Moves to a cell without steering, for example to a cell given by the host. */
  goTo(cell: Point, now: number): void {
    this.at(now)
    this.#heading = { x: 0, y: 0 }
    this.#goal = this.#within(cell)
    this.#then = now
    this.at(now)
  }

  /** Returns its position on the ground at a time. */
  at(now: number): Stand {
    const seconds = clamp(now - this.#then, 0, LONGEST) / 1000
    this.#then = Math.max(now, this.#then)
    if (this.#headed) {
      if (this.still()) this.#leap(now)
      else this.#go({ x: this.#at.x + this.#heading.x * PACE * seconds, y: this.#at.y + this.#heading.y * PACE * seconds })
    } else if (this.#goal !== null) {
      this.#approach(this.#goal, seconds)
    }
    const { x, y } = toGround(this.#at.x + FEET.x, this.#at.y + FEET.y)
    return { x, y, walked: this.#walked, moving: this.moving, left: this.#left, step: null, until: this.moving ? now : Infinity }
  }

  get #headed(): boolean { return this.#heading.x !== 0 || this.#heading.y !== 0 }

  #rest(before: Point): void {
    const towards = { x: Math.sign(before.x), y: Math.sign(before.y) }
    const gone = Math.hypot(this.#at.x - this.#start.x, this.#at.y - this.#start.y)
    const from = this.still() || gone >= STEP ? this.#at : this.#start
    const more = this.still() ? 0 : gone >= STEP ? ONWARD : 1
    const cell = this.#within(rounded({ x: from.x + towards.x * more, y: from.y + towards.y * more }))
    this.#goal = this.#within(this.land.free(cell, towards))
  }

  /** Moves towards the goal, and stops there. */
  #approach(goal: Point, seconds: number): void {
    const [x, y] = [goal.x - this.#at.x, goal.y - this.#at.y]
    const left = Math.hypot(x, y)
    const step = PACE * seconds
    if (left <= step || this.still()) {
      this.#go(goal)
      this.#goal = null
    } else {
      this.#go({ x: this.#at.x + (x / left) * step, y: this.#at.y + (y / left) * step })
    }
  }

  /** Without motion, it is on the next cell at once, and on another one when it could have walked there. */
  #leap(now: number): void {
    while (now >= this.#due) {
      this.#go(rounded({ x: this.#at.x + Math.round(this.#heading.x), y: this.#at.y + Math.round(this.#heading.y) }))
      this.#due += 1000 / PACE
      if (now - this.#due > LONGEST) this.#due = now + 1000 / PACE
    }
  }

  #go(to: Point): void {
    const next = this.#within(to)
    this.#walked += Math.hypot((next.x - this.#at.x) * CELL.w, (next.y - this.#at.y) * CELL.h)
    if (next.x !== this.#at.x) this.#left = next.x < this.#at.x
    this.#at = next
  }

  #within({ x, y }: Point): Point {
    const { minX, minY, maxX, maxY } = this.land.bounds()
    return { x: clamp(x, minX, maxX), y: clamp(y, minY, maxY) }
  }
}

const rounded = ({ x, y }: Point): Point => ({ x: Math.round(x), y: Math.round(y) })

/**
 * Returns the nearest free cell, which is the cell itself if free; of two equally near, the one further in the direction.
 * @param taken Reports whether a cell is occupied.
 */
export function freeCell(cell: Point, towards: Point, bounds: TownBounds, taken: (cell: Point) => boolean): Point {
  if (!taken(cell)) return cell
  const reach = Math.max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY)
  for (let ring = 1; ring <= reach; ring++) {
    let best: Point | undefined
    let least = Infinity
    for (let x = Math.max(cell.x - ring, bounds.minX); x <= Math.min(cell.x + ring, bounds.maxX); x++) {
      for (let y = Math.max(cell.y - ring, bounds.minY); y <= Math.min(cell.y + ring, bounds.maxY); y++) {
        if (Math.max(Math.abs(x - cell.x), Math.abs(y - cell.y)) !== ring || taken({ x, y })) continue
        const [dx, dy] = [x - cell.x, y - cell.y]
        const cost = Math.hypot(dx, dy) - 0.1 * (dx * towards.x + dy * towards.y)
        if (cost < least) { best = { x, y }; least = cost }
      }
    }
    if (best !== undefined) return best
  }
  return cell
}

/** Returns the item nearest to a place within a distance in cells; undefined if there is none. */
export function nearestTo<T extends Point & { readonly key: string }>(place: Point, all: readonly T[], within: number): T | undefined {
  let found: T | undefined
  let least = within
  for (const one of all) {
    const away = Math.hypot(one.x - place.x, one.y - place.y)
    if (away < least || (away === least && found === undefined)) { found = one; least = away }
  }
  return found
}
