/** Milliseconds that the camera stays where it went, however much happens elsewhere. */
export const HOLD = 8000
/** What somebody did so many milliseconds ago is still to be seen. */
const LATELY = 10_000
/** After so many milliseconds without anything everybody is shown. */
export const QUIET = 20_000

/** Decides where the camera of a wall goes: to where something happens, and back to everybody when nothing does. It has no clock: times are given. */
export class Director {
  readonly #last = new Map<string, number>()
  #moved = -Infinity
  #changed = false
  #away = false

  /** Somebody did something. */
  saw(key: string, now: number): void {
    // The order of a map is that of when its keys came.
    this.#last.delete(key)
    this.#last.set(key, now)
    this.#changed = true
  }

  /** Who is to be shown now, the most important first; nobody for everybody; undefined where the camera stays. */
  next(now: number): readonly string[] | undefined {
    if (now - this.#moved < HOLD) return undefined
    for (const [key, at] of this.#last) if (now - at > QUIET) this.#last.delete(key)
    if (this.#changed) {
      this.#changed = false
      const lately = [...this.#last].filter(([, at]) => now - at <= LATELY).map(([key]) => key).reverse()
      if (lately.length > 0) return this.#go(lately, now)
    }
    return this.#away && this.#last.size === 0 ? this.#go([], now) : undefined
  }

  /** A person moved the camera: it stays for as long as it would anywhere else, and longer. */
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
