/** How long the camera stays at a place, whatever happens elsewhere, in milliseconds. */
export const HOLD = 8000
/** How long an action counts as recent, in milliseconds. */
const RECENT = 10_000
/** After this many milliseconds without activity, all occupants are shown. */
export const QUIET = 20_000

/** Decides where the camera of a wall screen moves: to activity, and back to all occupants without any. It has no clock: times are arguments. */
export class Director {
  readonly #last = new Map<string, number>()
  #moved = -Infinity
  #changed = false
  #away = false

  /** Notes an action of an occupant. */
  saw(key: string, now: number): void {
    // A map keeps the order of insertion.
    this.#last.delete(key)
    this.#last.set(key, now)
    this.#changed = true
  }

  /** Returns the keys of the occupants to show, the most important first; an empty list means all, undefined means that the camera stays. */
  next(now: number): readonly string[] | undefined {
    if (now - this.#moved < HOLD) return undefined
    for (const [key, at] of this.#last) if (now - at > QUIET) this.#last.delete(key)
    if (this.#changed) {
      this.#changed = false
      const recent = [...this.#last].filter(([, at]) => now - at <= RECENT).map(([key]) => key).reverse()
      if (recent.length > 0) return this.#go(recent, now)
    }
    return this.#away && this.#last.size === 0 ? this.#go([], now) : undefined
  }

  /** Notes that a person moved the camera: it stays longer than usual. */
  rest(now: number): void {
    this.#moved = now + QUIET
    this.#away = true
  }

  #go(keys: readonly string[], now: number): readonly string[] {
    this.#moved = now
    this.#away = keys.length > 0
    return keys
  }
}
