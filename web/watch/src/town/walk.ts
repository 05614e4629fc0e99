import { nth } from './geometry.js'
import type { Point } from './geometry.js'
import type { Streets } from './streets.js'
import { onGround, rounded, route } from './streets.js'

/** A stop of a walk: a place in cells, and the step of the journey there, from 0. */
export interface Stop {
  readonly at: Point
  /** The step, or null for home at the end of the walk. */
  readonly step: number | null
}

/** The state of a walker at a time. */
export interface Stand {
  /** The position on the ground. */
  readonly x: number
  readonly y: number
  /** Ground units walked since the start. */
  readonly walked: number
  readonly moving: boolean
  /** Whether the walker looks to the left. */
  readonly left: boolean
  /** The step at which it stands; null on the way. */
  readonly step: number | null
  /** When this state ends: the next arrival or departure; Infinity if it stays. */
  readonly until: number
}

/** The way of a figure, as a function of time. */
export interface Way {
  /** When it ends; Infinity if it does not end by itself. */
  readonly end: number
  /** Returns the state of the walker at a time. */
  at(now: number): Stand
}

/** The speed in ground units per second. */
export const SPEED = 150
/** The duration of a stop in milliseconds. */
const PAUSE = 1500
/** The approximate longest duration of a walk in milliseconds: longer walks are faster. */
const LONGEST = 24_000

interface Leg {
  readonly points: readonly Point[]
  readonly lengths: readonly number[]
  readonly length: number
  readonly before: number
  readonly start: number
  readonly arrive: number
  readonly leave: number
  readonly step: number | null
}

/** A walk along the streets from stop to stop, as a function of time. */
export class Walk implements Way {
  readonly #legs: Leg[] = []
  /** When it ends, on the clock of its start; Infinity if it stays at its last stop. */
  readonly end: number
  /** Every point of the way on the ground. */
  readonly points: readonly Point[]
  /** The length of the way in ground units. */
  readonly length: number

  /**
   * Plans a walk that starts now at a point in cells.
   * @param still Without walking: the walker is at its destination at once.
   * @param stays Whether it stays at its last stop.
   */
  constructor(from: Point, stops: readonly Stop[], streets: Streets, now: number, still: boolean, stays: boolean) {
    const ways = stops.map((stop, i) => onGround(rounded(route(stops[i - 1]?.at ?? from, stop.at, streets))))
    const measured = ways.map(measure)
    this.length = measured.reduce((sum, way) => sum + way.length, 0)
    const pause = Math.min(PAUSE, LONGEST / 2 / Math.max(stops.length, 1))
    const speed = Math.max(SPEED, this.length / (LONGEST / 2000))
    let time = now
    let before = 0
    stops.forEach((stop, i) => {
      const { lengths, length } = nth(measured, i)
      const arrive = time + (still ? 0 : (length / speed) * 1000)
      const last = i === stops.length - 1
      const leave = last ? (stays ? Infinity : arrive + (stop.step === null ? 0 : pause)) : arrive + pause
      this.#legs.push({ points: nth(ways, i), lengths, length, before, start: time, arrive, leave, step: stop.step })
      time = leave
      before += length
    })
    this.end = time
    this.points = ways.flat()
  }

  /** Returns the state of the walker at a time. */
  at(now: number): Stand {
    const leg = this.#legs.find((candidate) => now < candidate.leave) ?? this.#legs.at(-1)
    if (leg === undefined) throw new Error('a walk without a stop leads nowhere')
    const first = nth(leg.points, 0)
    const last = nth(leg.points, -1)
    if (now >= leg.arrive) {
      const walked = leg.before + leg.length
      return { x: last.x, y: last.y, walked, moving: false, left: last.x < first.x, step: leg.step, until: leg.leave }
    }
    const gone = leg.length * ((now - leg.start) / (leg.arrive - leg.start))
    const { x, y, left } = along(leg, gone)
    return { x, y, walked: leg.before + gone, moving: true, left, step: null, until: leg.arrive }
  }
}

interface Measured {
  readonly lengths: number[]
  readonly length: number
}

function measure(points: readonly Point[]): Measured {
  const lengths = [0]
  let length = 0
  for (let i = 1; i < points.length; i++) {
    const a = nth(points, i - 1)
    const b = nth(points, i)
    length += Math.hypot(b.x - a.x, b.y - a.y)
    lengths.push(length)
  }
  return { lengths, length }
}

/** Returns the point of a way after a length. */
export function along(way: { points: readonly Point[]; lengths: readonly number[] }, gone: number): { x: number; y: number; left: boolean } {
  const { points, lengths } = way
  let low = 0
  let high = lengths.length - 1
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (nth(lengths, middle) <= gone) low = middle
    else high = middle
  }
  const a = nth(points, low)
  const b = nth(points, high)
  const from = nth(lengths, low)
  const part = nth(lengths, high) - from
  const share = part > 0 ? Math.min(Math.max((gone - from) / part, 0), 1) : 1
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, left: b.x < a.x }
}

/** Returns points at equal distances along a way, each with the direction of the way there, for footprints. */
export function marksAlong(points: readonly Point[], spacing: number): { x: number; y: number; dx: number; dy: number }[] {
  const { lengths, length } = measure(points)
  const marks: { x: number; y: number; dx: number; dy: number }[] = []
  for (let gone = spacing / 2, i = 1; gone < length; gone += spacing) {
    while (i < lengths.length - 1 && nth(lengths, i) < gone) i++
    const a = nth(points, i - 1)
    const b = nth(points, i)
    const part = nth(lengths, i) - nth(lengths, i - 1) || 1
    const share = (gone - nth(lengths, i - 1)) / part
    const dx = (b.x - a.x) / part
    const dy = (b.y - a.y) / part
    marks.push({ x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, dx, dy })
  }
  return marks
}
