import {
  asArray, asNumber, asObject, readEvent, readSpace,
  type AgentRow, type HumanRow, type Json, type KnownEvent, type McpRow, type WorldEvent, type WorldSnapshot,
} from '@playctl/sdk'
import { Directory } from '../world/directory.js'
import { occupantThing, spaceThing, type Thing } from '../world/things.js'

/** What somebody is called, by the events so far. */
export interface Named {
  readonly key: string
  readonly name: string
}

/**
 * The world as the events before one show it: who was called what, and how many leaves there
 * were. The directory is of now, and who has left since, or was called otherwise, is not in it.
 */
export class Then {
  private readonly names = new Map<string, Named>()
  private known: (id: string) => Named | undefined = () => undefined
  private leaves: number | undefined

  /** The name of an id in an event; undefined where no event had it. */
  whose(id: string): Named | undefined {
    return this.names.get(id) ?? this.known(id)
  }

  /** Takes who was called what on the map that the first event came upon. */
  know(names: (id: string) => Named | undefined): void { this.known = names }

  /** Whether an event's row was not on the map before it; undefined where that is not known. */
  isNew({ data }: WorldEvent): boolean | undefined {
    const leaves = asNumber(data.merkleLeafCount)
    return leaves === undefined || this.leaves === undefined ? undefined : leaves > this.leaves
  }

  /** Takes an event, after it was described. */
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

/** The thing whose row a changed leaf brings; undefined where it was removed or is no row. */
function rowIn(node: Json): Thing | undefined {
  const { occupant, space } = asObject(node) ?? {}
  const entry = readSpace(space as unknown)
  return occupantThing(occupant) ?? (entry && spaceThing(entry))
}

/** Who was called what in a world. */
export function namesIn({ worldMap, spaces }: WorldSnapshot): (id: string) => Named | undefined {
  const directory = new Directory(worldMap.occupants.map(occupantThing).filter((row) => row !== undefined), spaces.map(spaceThing))
  return (id) => directory.whose(id)
}

/** The row that an event brings. */
function rowOf(event: KnownEvent): AgentRow | HumanRow | McpRow | undefined {
  switch (event.kind) {
    case 'world:player_added': return event.data.player
    case 'world:person_added': return event.data.person
    case 'world:mcp_registered': return event.data.mcp
    default: return undefined
  }
}

/** So many names are remembered, of those who came last. */
const mostNames = 5000
