import type { PastWorld } from '@playctl/sdk'
import type { Source } from './source.js'

/** So many maps are kept, from which others are reached faster; on a long way, one after every so many happenings. */
const kept = 64
const every = 512
/** Further back than so many happenings, a map is read where there is a later one. */
const far = 256

/** Makes the map of any moment, from a map before it and the events between, each of which proves its rows. */
export class Prover {
  readonly #worlds = new Map<number, PastWorld>()

  constructor(private readonly source: Source) {}

  /** The map after the happening of a place. It throws a `MismatchError` or a `ChainError` where that cannot be proved. */
  async at(place: number, signal: AbortSignal): Promise<PastWorld> {
    let [from, world] = this.#nearest(place)
    if (world === undefined || place - from > far) {
      const base = await this.source.base(place, signal)
      if (world === undefined || base.from > from) [from, world] = [base.from, base.world]
    }
    const { instants } = this.source
    for (let next = from; next <= place; next += 1) {
      // What changed nothing needs no look, unless it is the moment itself.
      if (next < place && instants[next]?.rev === world.rev) continue
      const [event] = await this.source.events(next, next, signal)
      signal.throwIfAborted()
      if (event !== undefined) world = world.after(event)
      if (next === place || next % every === 0) this.#keep(next, world)
    }
    return world
  }

  /** The nearest map that events lead on from to a place, with the place of the first of them. */
  #nearest(place: number): [number, PastWorld | undefined] {
    const least = this.source.joined(place)
    let found = -1
    for (const known of this.#worlds.keys()) if (known <= place && known >= least && known > found) found = known
    return [found, this.#worlds.get(found)]
  }

  #keep(place: number, world: PastWorld): void {
    this.#worlds.delete(place)
    this.#worlds.set(place, world)
    for (const [oldest] of this.#worlds) if (this.#worlds.size > kept) this.#worlds.delete(oldest)
  }
}
