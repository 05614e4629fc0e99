import type { OccupantThing } from './things.js'

/** An occupant that has left the map. */
export interface Departed {
  readonly key: string
  readonly name: string
  /** When this page saw the departure, in milliseconds since 1970. */
  readonly at: number
}

/** Recent arrivals and departures, by the states of one world. */
export interface Presence {
  /** The time of each arrival, by stable key, of occupants on the map only. */
  readonly came: ReadonlyMap<string, number>
  /** The latest departures first; each occupant once. */
  readonly left: readonly Departed[]
}

export const noRecentChange: Presence = { came: new Map(), left: [] }

/** How long an occupant counts as new, in milliseconds. */
export const newFor = 60_000
/** How long departures are remembered, in milliseconds, and how many of them. */
export const rememberedFor = 300_000
export const remembered = 5

/** Compares two states of the same world: occupants in only one of them have just come or left. */
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

/** Removes arrivals and departures that are too old; returns the same presence if there are none. */
export function forget(last: Presence, now: number): Presence {
  const came = [...last.came].filter(([, at]) => now - at < newFor)
  const left = last.left.filter(({ at }) => now - at < rememberedFor)
  return came.length === last.came.size && left.length === last.left.length ? last : { came: new Map(came), left }
}

/** Returns the time at which the next one expires; undefined if nothing is remembered. */
export function nextForgetting({ came, left }: Presence): number | undefined {
  const ends = [...[...came.values()].map((at) => at + newFor), ...left.map(({ at }) => at + rememberedFor)]
  return ends.length === 0 ? undefined : Math.min(...ends)
}
