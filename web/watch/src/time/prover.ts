import type { PastWorld } from '@playctl/sdk'
import type { Source } from './source.js'

/** The number of cached maps, from which others are computed faster; over long ranges, one after this many events. */
const kept = 64
const every = 512
/** If the nearest map is this many events away, a later one is read if there is one. */
const far = 256

/** Computes the map of any moment, from a map before it and the events between, which prove their rows. */
export class Prover {
  readonly #worlds = new Map<number, PastWorld>()

  constructor(private readonly source: Source) {}

  /** Returns the map after the event at a place. It throws a `MismatchError` or a `ChainError` if that cannot be verified. */
  async at(place: number, signal: AbortSignal): Promise<PastWorld> {
    let [from, world] = this.#nearest(place)
    if (world === undefined || place - from > far) {
      const base = await this.source.base(place, signal)
      if (world === undefined || base.from > from) [from, world] = [base.from, base.world]
    }
    const { instants } = this.source
    for (let next = from; next <= place; next += 1) {
      // An event without changes can be skipped, unless it is the moment itself.
      if (next < place && instants[next]?.rev === world.rev) continue
      const [event] = await this.source.events(next, next, signal)
      signal.throwIfAborted()
      if (event !== undefined) world = world.after(event)
      if (next === place || next % every === 0) this.#keep(next, world)
    }
    return world
  }

  /** Returns the nearest map from which events lead to a place, with the place of the first of them. */
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
