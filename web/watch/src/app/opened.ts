/** A part of the page that people open and that Back closes. */
export interface Layer {
  readonly name: string
  readonly isOpen: () => boolean
  readonly close: () => void
  /** Opens it again, as Forward does. */
  readonly reopen: () => void
}

/** The state in an entry of the browser's history: the layers opened since the page was loaded, the last at the end. */
interface Entry {
  readonly opened: readonly string[]
}

/** A browser without an entry to go back to sends no event: after this many milliseconds that is assumed. */
const patience = 1000

/**
 * Keeps one entry of the browser's history for each open layer, so that Back closes the
 * last one, as usual on phones, and closing one by a button removes its entry.
 */
export class Opened {
  #order: readonly string[] = []
  #base: ReadonlySet<string>
  #going: ReturnType<typeof setTimeout> | undefined

  /**
   * @param given The layers opened by the address, not on the page: they have no entries.
   * @param address Returns the address of the current view.
   */
  constructor(private readonly layers: readonly Layer[], given: readonly string[], private readonly address: () => string) {
    const kept = entry()?.opened ?? []
    this.#base = new Set(given.filter((name) => !kept.includes(name)))
    history.replaceState({ opened: kept }, '')
  }

  close(): void { clearTimeout(this.#going) }

  /** Updates the history to the open layers, and the address to the current view. */
  sync(): void {
    const open = this.layers.filter((layer) => layer.isOpen()).map(({ name }) => name)
    this.#base = new Set([...this.#base].filter((name) => open.includes(name)))
    this.#order = [...this.#order.filter((name) => open.includes(name)), ...open.filter((name) => !this.#order.includes(name))]
    if (this.#going !== undefined) return
    const own = this.#own
    const before = entry()?.opened ?? []
    if (own.length < before.length) {
      this.#going = setTimeout(() => { this.#arrived() }, patience)
      history.go(own.length - before.length)
      return
    }
    const address = this.address()
    for (let count = before.length + 1; count <= own.length; count += 1) history.pushState({ opened: own.slice(0, count) }, '', address)
    if (address !== location.pathname + location.search || String(entry()?.opened) !== String(own)) history.replaceState({ opened: own }, '', address)
  }

  /** Opens and closes layers by the entry that Back or Forward led to. */
  moved(): void {
    if (this.#going !== undefined) {
      this.#arrived()
      return
    }
    const wanted = entry()?.opened
    // A link within the page creates an entry of its own.
    if (wanted !== undefined) {
      for (const layer of this.#named(this.#own).reverse()) if (!wanted.includes(layer.name)) layer.close()
      for (const layer of this.#named(wanted)) if (!layer.isOpen()) layer.reopen()
    }
    history.replaceState({ opened: wanted ?? this.#own }, '')
    this.sync()
  }

  /** The layers with an entry. */
  get #own(): readonly string[] { return this.#order.filter((name) => !this.#base.has(name)) }

  #named(names: readonly string[]): Layer[] { return names.flatMap((name) => this.layers.find((layer) => layer.name === name) ?? []) }

  #arrived(): void {
    clearTimeout(this.#going)
    this.#going = undefined
    if ((entry()?.opened.length ?? 0) > this.#own.length) history.replaceState({ opened: this.#own }, '')
    this.sync()
  }
}

function entry(): Entry | undefined {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'opened' in state && Array.isArray(state.opened) ? state as Entry : undefined
}
