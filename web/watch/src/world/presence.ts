import type { OccupantThing } from './things.js'

/** One who is not on the map any more. */
export interface Departed {
  readonly key: string
  readonly name: string
  /** When this page saw that they had left, in milliseconds since 1970. */
  readonly at: number
}

/** Who came and who left lately, as the states of one world tell it. */
export interface Presence {
  /** When each came, by stable key. Only those on the map are in it. */
  readonly came: ReadonlyMap<string, number>
  /** The latest first; nobody twice. */
  readonly left: readonly Departed[]
}

export const nothingLately: Presence = { came: new Map(), left: [] }

/** For so many milliseconds somebody is new. */
export const newFor = 60_000
/** For so many milliseconds somebody who left is remembered, and so many of them are. */
export const rememberedFor = 300_000
export const remembered = 5

/** Compares two states of the same world: who is in one of them only has come or left now. */
export function compare(last: Presence, before: readonly OccupantThing[], after: readonly OccupantThing[], now: number): Presence {
  const was = new Set(before.map((row) => row.key))
  const is = new Set(after.map((row) => row.key))
  const arrivals = after.filter((row) => !was.has(row.key)).map((row) => [row.key, now] as const)
  const departures = before.filter((row) => !is.has(row.key)).map(({ key, name }) => ({ key, name, at: now }))
  if (arrivals.length === 0 && departures.length === 0) {
    return last
  }
  const gone = new Set(departures.map((one) => one.key))
  return {
    came: new Map([...[...last.came].filter(([key]) => is.has(key)), ...arrivals]),
    left: [...departures, ...last.left.filter((one) => !is.has(one.key) && !gone.has(one.key))].slice(0, remembered),
  }
}

/** Forgets what is too long ago; the same presence where nothing is. */
export function forget(last: Presence, now: number): Presence {
  const came = [...last.came].filter(([, at]) => now - at < newFor)
  const left = last.left.filter(({ at }) => now - at < rememberedFor)
  return came.length === last.came.size && left.length === last.left.length ? last : { came: new Map(came), left }
}

/** The time at which the next is to be forgotten; undefined where nobody is remembered. */
export function nextForgetting({ came, left }: Presence): number | undefined {
  const ends = [...[...came.values()].map((at) => at + newFor), ...left.map(({ at }) => at + rememberedFor)]
  return ends.length === 0 ? undefined : Math.min(...ends)
}
