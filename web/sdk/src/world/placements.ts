/** An MCP placement to put on the map. */
export interface Mcp {
  /** Identifies the placement within the account. */
  readonly name: string
  /** Absolute, http or https. */
  readonly url?: string
}

/** The MCP rows that this program registered, and that are registered again in a new session. */
export class Placements {
  readonly #byName = new Map<string, { readonly mcp: Mcp; readonly id: string }>()
  /** The name of each id, also of ids that were a placement's in an earlier session. */
  readonly #names = new Map<string, string>()

  /** Notes what was registered. */
  keep(mcp: Mcp, id: string): void {
    this.#byName.set(mcp.name, { mcp, id })
    this.#names.set(id, mcp.name)
  }

  /** Forgets what was removed. */
  drop(id: string): void {
    this.#byName.delete(this.#names.get(id) ?? '')
    this.#names.delete(id)
  }

  /** The id that a placement has in the present session. */
  present(id: string): string {
    return this.#byName.get(this.#names.get(id) ?? '')?.id ?? id
  }

  /** Everything that is to be on the map. */
  all(): Mcp[] {
    return Array.from(this.#byName.values(), ({ mcp }) => mcp)
  }
}
