import {
  asArray, asNumber, asObject, readEvent, readSpace,
  type AgentRow, type HumanRow, type Json, type KnownEvent, type McpRow, type WorldEvent, type WorldSnapshot,
} from '@playctl/sdk'
import { Directory } from '../world/directory.js'
import { occupantThing, spaceThing, type Thing } from '../world/things.js'

/** The name of an occupant, by the events so far. */
export interface Named {
  readonly key: string
  readonly name: string
}

/**
 * The world according to the events before one: the names of occupants, and the number of leaves.
 * The directory is of the present, without occupants that have left and without former names.
 */
export class Then {
  private readonly names = new Map<string, Named>()
  private known: (id: string) => Named | undefined = () => undefined
  private leaves: number | undefined

  /** Returns the name of an id in an event; undefined if no event had it. */
  whose(id: string): Named | undefined {
    return this.names.get(id) ?? this.known(id)
  }

  /** Sets the names on the map just before the first event. */
  know(names: (id: string) => Named | undefined): void { this.known = names }

  /** Reports whether an event's row was not on the map before it; undefined if that is unknown. */
  isNew({ data }: WorldEvent): boolean | undefined {
    const leaves = asNumber(data.merkleLeafCount)
    return leaves === undefined || this.leaves === undefined ? undefined : leaves > this.leaves
  }

  /** Notes an event, after its description. */
  pass(event: WorldEvent): void {
    this.leaves = asNumber(event.data.merkleLeafCount)
    const known = readEvent(event)
    if (known?.kind === 'session:reset') {
      this.names.clear()
      this.known = () => undefined
    }
    const row = known === undefined ? undefined : rowOf(known)
    const thing = row && occupantThing(row)
    this.name(thing)
    for (const row of asArray(event.data.playerChainNodes) ?? []) this.name(rowIn(row))
  }

  private name(thing: Thing | undefined): void {
    if (thing === undefined || thing.id === '') return
    this.names.delete(thing.id)
    this.names.set(thing.id, { key: thing.key, name: thing.name })
    if (this.names.size > mostNames) this.names.delete(this.names.keys().next().value ?? '')
  }
}

/** Returns the thing of a changed leaf; undefined if it was removed or has no row. */
function rowIn(node: Json): Thing | undefined {
  const { occupant, space } = asObject(node) ?? {}
  const entry = readSpace(space as unknown)
  return occupantThing(occupant) ?? (entry && spaceThing(entry))
}

/** Returns a function for the names in a world. */
export function namesIn({ worldMap, spaces }: WorldSnapshot): (id: string) => Named | undefined {
  const directory = new Directory(worldMap.occupants.map(occupantThing).filter((row) => row !== undefined), spaces.map(spaceThing))
  return (id) => directory.whose(id)
}

/** Returns the row of an event. */
function rowOf(event: KnownEvent): AgentRow | HumanRow | McpRow | undefined {
  switch (event.kind) {
    case 'world:player_added': return event.data.player
    case 'world:person_added': return event.data.person
    case 'world:mcp_registered': return event.data.mcp
    default: return undefined
  }
}

/** The number of names kept, of the last arrivals. */
const mostNames = 5000
