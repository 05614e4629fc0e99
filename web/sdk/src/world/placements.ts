/** An MCP placement to put on the map. */
export interface Mcp {
  /** Identifies the placement within the account. */
  readonly name: string
  /** The server's address: absolute, http or https. */
  readonly url?: string
}

/** The MCP placements that this program registered, which are registered again in a new session. */
export class Placements {
  readonly #byName = new Map<string, { readonly mcp: Mcp; readonly id: string }>()
  /** The placement's name for each id, also for ids from earlier sessions. */
  readonly #names = new Map<string, string>()

  /** Notes a registered placement. */
  keep(mcp: Mcp, id: string): void {
    this.#byName.set(mcp.name, { mcp, id })
    this.#names.set(id, mcp.name)
  }

  /** Notes a placement that was registered again; false if it was removed meanwhile. */
  renewed(mcp: Mcp, id: string): boolean {
    const kept = this.#byName.has(mcp.name)
    if (kept) this.keep(mcp, id)
    return kept
  }

  /** Forgets a removed placement. */
  drop(id: string): void {
    this.#byName.delete(this.#names.get(id) ?? '')
    this.#names.delete(id)
  }

  /** Returns a placement's id in the current session. */
  present(id: string): string {
    return this.#byName.get(this.#names.get(id) ?? '')?.id ?? id
  }

  /** Returns all registered placements. */
  all(): Mcp[] {
    return Array.from(this.#byName.values(), ({ mcp }) => mcp)
  }
}
