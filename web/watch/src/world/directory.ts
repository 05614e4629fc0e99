import type { OccupantThing, SpaceThing, Thing } from './things.js'

/** How much of an agent's id the page shows, in characters. */
const shownDigits = 12

/**
 * Everything on the map by its stable key, and by the ids that events use. One is
 * created for each state of the world, and it never changes.
 */
export class Directory {
  readonly occupants: readonly OccupantThing[]
  readonly spaces: readonly SpaceThing[]
  private readonly byKey = new Map<string, Thing>()
  private readonly byId = new Map<string, Thing>()

  constructor(occupants: readonly OccupantThing[], spaces: readonly SpaceThing[]) {
    this.occupants = occupants
    this.spaces = spaces
    // Agents come last: if an id is used twice, an event means the agent.
    const agents = occupants.filter((row) => row.kind === 'agent')
    for (const thing of [...spaces, ...occupants, ...agents]) {
      this.byKey.set(thing.key, thing)
      this.byId.set(thing.id, thing)
    }
  }

  /** Returns the thing with a stable key. */
  get(key: string): Thing | undefined {
    return this.byKey.get(key)
  }

  /** Returns the thing that an event's id refers to. */
  whose(id: string): Thing | undefined {
    return this.byId.get(id)
  }

  /** Returns the agent whose id begins with at least the part that the page shows; undefined if there are several. */
  agentBy(start: string): Thing | undefined {
    const found = start.length < shownDigits ? [] : this.occupants.filter(({ kind, id }) => kind === 'agent' && id.startsWith(start))
    return found.length === 1 ? found[0] : undefined
  }

  /** Returns the things that a node owns. */
  of(nodeId: string): readonly OccupantThing[] {
    return this.occupants.filter((row) => 'nodeId' in row && row.nodeId === nodeId)
  }
}

/** The directory of a world that is not known yet. */
export const emptyDirectory = new Directory([], [])
