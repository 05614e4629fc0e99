import { asNumber, readEvent, type AgentRow, type HumanRow, type KnownEvent, type McpRow, type WorldEvent } from '@playctl/sdk'
import { occupantThing } from '../world/things.js'

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
  private leaves: number | undefined

  /** The name of an id in an event; undefined where no event had it. */
  whose(id: string): Named | undefined {
    return this.names.get(id)
  }

  /** Whether an event's row was not on the map before it; undefined where that is not known. */
  isNew({ data }: WorldEvent): boolean | undefined {
    const leaves = asNumber(data.merkleLeafCount)
    return leaves === undefined || this.leaves === undefined ? undefined : leaves > this.leaves
  }

  /** Takes an event, after it was described. */
  pass(event: WorldEvent): void {
    this.leaves = asNumber(event.data.merkleLeafCount)
    const known = readEvent(event)
    if (known?.kind === 'session:reset') this.names.clear()
    const row = known === undefined ? undefined : rowOf(known)
    const thing = row && occupantThing(row)
    if (thing !== undefined && thing.id !== '') this.names.set(thing.id, { key: thing.key, name: thing.name })
    if (this.names.size > mostNames) this.names.delete(this.names.keys().next().value ?? '')
  }
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
