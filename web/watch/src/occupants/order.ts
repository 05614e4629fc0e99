import type { Activity, ActivityState } from '@playctl/sdk'
import { parentsOf } from '../town/kin.js'
import type { OccupantThing, Thing } from '../world/things.js'

/** The states, in the order in which they need a person. */
export const states = ['waiting', 'failed', 'working', 'done', 'idle'] as const satisfies readonly ActivityState[]

/** Returns what an agent does now; undefined if that is not known, or in a state that this page does not know. */
export function activityOf(thing: Thing): Activity | undefined {
  const activity = thing.kind === 'agent' ? thing.activity : undefined
  return activity !== undefined && (states as readonly string[]).includes(activity.state) ? activity : undefined
}

/** Returns how much a row needs a person, as a text to sort by: by its state, and first who has waited longest. Rows without a known state come last. */
function urgencyOf(row: OccupantThing): string {
  const activity = activityOf(row)
  return activity === undefined ? `${states.length}` : `${states.indexOf(activity.state)}${activity.state === 'waiting' ? activity.since : ''}`
}

/** What many agents do, and what their runs have used. */
export interface Totals {
  readonly counts: Readonly<Record<ActivityState, number>>
  /** The tokens that models read and wrote; undefined if no agent reports any. */
  readonly tokens: number | undefined
  /** The cost in US dollars; undefined if no agent reports any. */
  readonly costUsd: number | undefined
}

/** Counts the agents by state, and adds up what they report. */
export function totalsOf(rows: readonly OccupantThing[]): Totals {
  const counts = { waiting: 0, failed: 0, working: 0, done: 0, idle: 0 }
  const activities = rows.flatMap((row) => activityOf(row) ?? [])
  for (const { state } of activities) counts[state] += 1
  return {
    counts,
    tokens: sumOf(activities.flatMap(({ usage }) => [usage?.inputTokens, usage?.outputTokens])),
    costUsd: sumOf(activities.map(({ usage }) => usage?.costUsd)),
  }
}

/** Returns the sum of the known numbers; undefined if none is known. */
export function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0)
}

/** A row in the list, with its parent above it. */
export interface Placed {
  readonly row: OccupantThing
  readonly parent: OccupantThing | undefined
  /** The number of its ancestors. */
  readonly depth: number
}

/** The rows of a group; the name of the last one may be empty, for rows without a group. */
export interface GroupOfRows {
  readonly name: string
  readonly rows: readonly Placed[]
}

/**
 * Puts rows in order: groups with agents that need a person first, in them the rows by state, and children
 * below their parents. A child without a group of its own is in that of its parent. What is equal keeps its order.
 */
export function arranged(rows: readonly OccupantThing[], language: string): readonly GroupOfRows[] {
  const parents = parentsOf(rows)
  const nameOf = (row: OccupantThing): string => {
    for (let at: OccupantThing | undefined = row; at !== undefined; at = parents.get(at)) if (at.kind === 'agent' && at.group !== undefined) return at.group
    return ''
  }
  const names = new Map(rows.map((row) => [row, nameOf(row)]))
  const above = new Map([...parents].filter(([row, parent]) => names.get(row) === names.get(parent)))
  // A family is where the member is that needs a person most.
  const urgency = new Map<OccupantThing, string>()
  for (const row of rows) {
    const own = urgencyOf(row)
    for (let at: OccupantThing | undefined = row; at !== undefined && own < (urgency.get(at) ?? '~'); at = above.get(at)) urgency.set(at, own)
  }
  const byUrgency = (a: OccupantThing, b: OccupantThing): number => compare(urgency.get(a) ?? '', urgency.get(b) ?? '')
  const children = new Map<OccupantThing, OccupantThing[]>()
  const groups = new Map<string, OccupantThing[]>()
  for (const row of [...rows].sort(byUrgency)) {
    const parent = above.get(row)
    if (parent === undefined) add(groups, names.get(row) ?? '', row)
    else add(children, parent, row)
  }
  const order = new Intl.Collator(language, { numeric: true })
  // The first member is the neediest; groups without one that needs a person stay where they are.
  const needs = ([first]: readonly OccupantThing[]): string => (first && urgency.get(first)?.replace(/^[2-9].*/, '2')) ?? ''
  return [...groups]
    .sort(([a, as], [b, bs]) => Number(a === '') - Number(b === '') || compare(needs(as), needs(bs)) || order.compare(a, b))
    .map(([name, members]) => ({ name, rows: nested(members, children, above) }))
}

/** Returns rows with their descendants below them. */
function nested(roots: readonly OccupantThing[], children: ReadonlyMap<OccupantThing, readonly OccupantThing[]>, above: ReadonlyMap<OccupantThing, OccupantThing>): Placed[] {
  const placed: Placed[] = []
  const next: (readonly [OccupantThing, number])[] = [...roots].reverse().map((row) => [row, 0])
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    const [row, depth] = one
    placed.push({ row, parent: above.get(row), depth })
    for (const child of [...children.get(row) ?? []].reverse()) next.push([child, depth + 1])
  }
  return placed
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

function add<Key>(lists: Map<Key, OccupantThing[]>, key: Key, row: OccupantThing): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [row])
  else list.push(row)
}
