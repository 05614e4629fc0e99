import type { BubbleSpot } from './bubbles.js'
import type { BubbleKind } from './paper.js'
import type { Point } from './geometry.js'
import { parentsOf } from './kin.js'
import type { Streets } from './streets.js'
import { layStreets } from './streets.js'
import { soundBounds, toCells, toGround } from './terrain.js'
import type { TownBounds, TownOccupant, TownPathStep, TownText, TownWorld } from './types.js'
import { stableKey } from './types.js'
import type { Stop, Way } from './walk.js'
import { Walk } from './walk.js'

/** The duration of an arrival and of a departure in milliseconds, and how long a resident counts as new. */
export const ARRIVAL = 600
export const DEPARTURE = 700
export const FRESH = 20_000
/** How long a trail remains after its walk, in milliseconds. */
const TRAIL = 10_000
/** How often lines below names are renewed that say how long a state has lasted, in milliseconds. */
const AGES = 15_000
/** The number of steps of a journey that are walked; the timeline beside the map has all of them. */
const MOST_STEPS = 60
/** The greatest numbers of bubbles and of walkers at once. */
const MOST_BUBBLES = 24
const MOST_WALKERS = 24

/** The text of each signal's sign. */
const SIGNS: ReadonlyMap<string, string> = new Map([['zone', '!'], ['yield', '↩'], ['assist', '✦'], ['chat', '…']])

/** The content of a bubble, until a time. */
export interface Speech {
  readonly text: string
  readonly kind: BubbleKind
  readonly since: number
  /** The reading time in milliseconds. */
  readonly reading: number
  until: number
  /** When its words appeared; null while a mark replaces them. */
  whole: number | null
  /** Its place relative to the head, once it has one. */
  place: BubbleSpot | null
}

/** How long a spoken line waits for room at most, in milliseconds. */
const PATIENCE = 6000

/** Lets a spoken line wait for room: its time starts when it becomes visible, but it does not wait for ever. */
export function postpone(speech: Speech, now: number): void {
  if (speech.kind === 'step') return
  speech.until = Math.max(speech.until, Math.min(now + speech.reading, speech.since + speech.reading + PATIENCE))
}

/** An occupant of the map, and its current action. */
export interface Resident {
  readonly key: string
  row: TownOccupant
  /** The position of its feet at home, in cells. */
  spot: Point
  home: Point
  arrived: number
  left: number | null
  speech: Speech | null
  walk: Way | null
  path: readonly TownPathStep[]
  step: number | null
  trailUntil: number
  /** The agent that started it, if that is on the map too. */
  parent: Resident | undefined
}

/** The figure that the reader of the page moves, and its position. */
export interface Own {
  readonly key: string
  readonly way: Way
}

/** The distance of a figure's feet from the corner of its cell, in cells. */
export const FEET = { x: 0.16, y: 0.26 } as const

/** All residents of the town, and their actions. It has no clock: times are arguments. */
export class Residents {
  readonly all = new Map<string, Resident>()
  readonly #byId = new Map<string, Resident>()
  bounds: TownBounds = { minX: 0, minY: 0, maxX: 19, maxY: 11 }
  streets: Streets = layStreets(this.bounds)
  /** Whether lines below names say how long a state has lasted until now. */
  #aging = false
  #sid: string | null = null
  #own: Own | null = null
  /** Another moment is shown next: residents do not walk there from this one. */
  #leaps = true

  constructor(private readonly text: TownText) {}

  /** The stable key of the reader's own figure; null without one. */
  get own(): string | null { return this.#own?.key ?? null }

  /** Sets the way of the reader's own figure, or ends it: then its row determines its position again. */
  steer(own: Own | null): void {
    const before = this.#own === null ? undefined : this.all.get(this.#own.key)
    if (before?.walk === this.#own?.way && before !== undefined) before.walk = null
    this.#own = own
    this.#lead()
  }

  #lead(): void {
    const own = this.#own === null ? undefined : this.all.get(this.#own.key)
    if (own !== undefined && this.#own !== null) own.walk = this.#own.way
  }

  /**
   * Applies a state of the world: people walk to their new positions.
   * @param still Without walking: they move there at once.
   * @returns Whether the land has changed.
   */
  take(world: TownWorld, now: number, still = true): boolean {
    const again = world.sid !== this.#sid
    if (again) { this.all.clear(); this.#byId.clear() }
    this.#sid = world.sid
    const bounds = soundBounds(world.bounds)
    const grew = again || JSON.stringify(bounds) !== JSON.stringify(this.bounds)
    if (grew) { this.bounds = bounds; this.streets = layStreets(bounds) }
    this.#aging = world.at === undefined && world.occupants.some((row) => row.kind === 'agent' && row.activity !== undefined)
    const seen = new Set<string>()
    for (const row of world.occupants) {
      const key = stableKey(row)
      seen.add(key)
      const known = this.all.get(key)
      if (known?.left !== null) this.#admit(key, row, again ? -Infinity : now)
      else if (known.row !== row) this.#change(known, row, now, still || this.#leaps)
    }
    this.#leaps = false
    this.#lead()
    this.#relate(world.occupants)
    for (const resident of this.all.values()) if (!seen.has(resident.key)) this.#see(resident, now)
    return grew
  }

  #relate(rows: readonly TownOccupant[]): void {
    const parents = parentsOf(rows)
    for (const resident of this.all.values()) {
      const parent = parents.get(resident.row)
      resident.parent = parent && this.all.get(stableKey(parent))
    }
  }

  /** Finds a resident by stable key or by id. */
  find(id: string): Resident | undefined {
    const found = this.all.get(id) ?? this.#byId.get(id)
    return found?.left === null ? found : undefined
  }

  /** Starts a departure, or removes a resident whose departure is over: that cannot wait for a frame, because none is drawn while the page is hidden. */
  #see(resident: Resident, now: number): void {
    resident.left ??= now
    if (now >= resident.left + DEPARTURE) this.#forget(resident)
  }

  #admit(key: string, row: TownOccupant, arrived: number): void {
    const resident: Resident = {
      key, row, arrived, spot: { x: 0, y: 0 }, home: { x: 0, y: 0 }, left: null, speech: null, walk: null, path: [], step: null, trailUntil: 0, parent: undefined,
    }
    this.#settle(resident)
    this.all.set(key, resident)
    this.#byId.set(row.kind === 'agent' ? row.agentId : row.id, resident)
  }

  /** Applies a changed row; a person with a new position walks there. */
  #change(resident: Resident, row: TownOccupant, now: number, still: boolean): void {
    const { spot, walk } = resident
    resident.row = row
    this.#settle(resident)
    if (row.kind !== 'human' || still || resident.key === this.own || (spot.x === resident.spot.x && spot.y === resident.spot.y)) return
    const from = walk === null || now >= walk.end ? spot : toCells(walk.at(now))
    resident.walk = new Walk(from, [{ at: resident.spot, step: null }], this.streets, now, false, false)
  }

  #settle(resident: Resident): void {
    const { row } = resident
    const { minX, minY, maxX, maxY } = this.bounds
    const x = Math.min(Math.max(Number.isFinite(row.x) ? row.x : minX, minX), maxX)
    const y = Math.min(Math.max(Number.isFinite(row.y) ? row.y : minY, minY), maxY)
    resident.spot = row.kind === 'agent' || row.kind === 'human' ? { x: x + FEET.x, y: y + FEET.y } : { x, y }
    resident.home = toGround(resident.spot.x, resident.spot.y)
    if (row.kind === 'agent' && row.lastUpdate !== undefined && resident.walk === null) resident.path = row.lastUpdate.path
  }

  /** Shows a line above a resident; if there are too many bubbles, the oldest is removed. */
  say(resident: Resident, text: string, kind: BubbleKind, now: number): void {
    const reading = Math.min(12_000, 4000 + text.length * 55)
    resident.speech = { text, kind, since: now, reading, until: now + reading, whole: null, place: resident.speech?.place ?? null }
    const speaking = [...this.all.values()].filter((other) => other.speech !== null)
    if (speaking.length <= MOST_BUBBLES) return
    speaking.sort((a, b) => (a.speech?.since ?? 0) - (b.speech?.since ?? 0))
    for (const other of speaking.slice(0, speaking.length - MOST_BUBBLES)) other.speech = null
  }

  /** Shows the sign of a signal above a resident that says nothing; a kind without a sign shows nothing. */
  sign(resident: Resident, kind: string, now: number): void {
    const sign = SIGNS.get(kind)
    if (sign !== undefined && resident.speech === null) this.say(resident, sign, 'assistant', now - 2000)
  }

  /** Ends all bubbles, and ends every walk where it began: another moment is shown. */
  stopAll(): void {
    this.#leaps = true
    for (const resident of this.all.values()) Object.assign(resident, { speech: null, walk: null, step: null, trailUntil: 0 })
  }

  /** Sends a resident along a path from a step; with hold, only to that step, where it stays. */
  send(resident: Resident, path: readonly TownPathStep[], step: number, hold: boolean, now: number, still: boolean): void {
    const walking = [...this.all.values()].filter((other) => other.walk !== null && other !== resident)
    if (!hold && walking.length >= MOST_WALKERS) return
    const from = this.#place(resident, path[resident.step ?? -1])
    resident.path = path
    const last = Math.min(path.length, MOST_STEPS + step)
    const stops: Stop[] = []
    for (let i = Math.max(step, 0); i < (hold ? Math.min(step + 1, path.length) : last); i++) {
      stops.push({ at: this.#place(resident, path[i]), step: i })
    }
    if (stops.length === 0) return
    if (!hold) stops.push({ at: resident.spot, step: null })
    resident.walk = new Walk(from, stops, this.streets, now, still, hold)
    resident.trailUntil = resident.walk.end + TRAIL
  }

  /** Returns where a resident stands for a step: in front of its place, or at home if it has none. */
  #place(resident: Resident, step: TownPathStep | undefined): Point {
    if (step === undefined || !Number.isFinite(step.x) || !Number.isFinite(step.y)) return resident.spot
    if (step.x === resident.row.x && step.y === resident.row.y) return resident.spot
    const { minX, minY, maxX, maxY } = this.bounds
    return { x: Math.min(Math.max(step.x, minX), maxX) + 0.16, y: Math.min(Math.max(step.y, minY), maxY) + 0.42 }
  }

  /** Ends the stay of a walker, which goes home. */
  recall(resident: Resident, now: number, still: boolean): void {
    if (resident.walk === null) return
    const from = this.#place(resident, resident.path[resident.step ?? -1])
    resident.walk = new Walk(from, [{ at: resident.spot, step: null }], this.streets, now, still, false)
    resident.trailUntil = now
  }

  /**
   * Advances time: removes what has ended. Returns the time of the next change, and
   * whether anything moves until then.
   */
  pass(now: number, onStep: (resident: Resident, step: number | null) => void): { next: number; moves: boolean } {
    let next = Infinity
    let moves = false
    const wait = (until: number): void => { if (until > now) next = Math.min(next, until) }
    if (this.#aging) wait(now + AGES)
    for (const resident of this.all.values()) {
      if (resident.left !== null) {
        if (now >= resident.left + DEPARTURE) { this.#forget(resident); continue }
        moves = true
      }
      if (now < resident.arrived + ARRIVAL) moves = true
      wait(resident.arrived + FRESH)
      wait(resident.trailUntil)
      if (resident.walk !== null) moves = this.#walk(resident, now, onStep, wait) || moves
      if (resident.speech !== null) {
        if (now >= resident.speech.until) resident.speech = null
        else wait(resident.speech.until)
      }
    }
    return { next, moves }
  }

  #walk(resident: Resident, now: number, onStep: (resident: Resident, step: number | null) => void, wait: (until: number) => void): boolean {
    const { walk } = resident
    if (walk === null) return false
    if (now >= walk.end) {
      resident.walk = null
      resident.step = null
      this.#moveOn(resident)
      onStep(resident, null)
      return false
    }
    const stand = walk.at(now)
    wait(stand.until)
    if (stand.step === null) this.#moveOn(resident)
    if (stand.step !== null && stand.step !== resident.step) {
      const step = resident.path[stand.step]
      resident.step = stand.step
      if (step !== undefined) this.say(resident, this.text.step(step, stand.step), 'step', now)
      onStep(resident, stand.step)
    }
    return stand.moving
  }

  /** Removes the bubble of a step, which belongs to its station. */
  #moveOn(resident: Resident): void {
    if (resident.speech?.kind === 'step') resident.speech = null
  }

  #forget(resident: Resident): void {
    const { row, key } = resident
    this.all.delete(key)
    const id = row.kind === 'agent' ? row.agentId : row.id
    if (this.#byId.get(id) === resident) this.#byId.delete(id)
  }
}
