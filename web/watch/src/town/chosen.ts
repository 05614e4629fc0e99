/** Somebody who says something, as far as it decides whose words are shown. */
export interface Voice {
  /** Whether the person points at, chose or follows who speaks. */
  readonly marked: boolean
  /** When it was said, in milliseconds. */
  readonly since: number
  /** Since when its words are shown; null while a mark stands for them. */
  readonly shown: number | null
}

/** So many are shown with their words at once. */
export const MOST_WHOLE = 8
/** Words that are shown stay for so many milliseconds before newer ones may take their place. */
const HELD = 4000

/**
 * Chooses whose words are shown: those of the marked, those that could not be read yet, then the newest.
 * @param most How many are shown at once.
 * @returns Those chosen, the most important first.
 */
export function chooseWhole<V extends Voice>(voices: readonly V[], most: number, now: number): V[] {
  const rank = ({ marked, shown }: V): number => Number(marked) * 2 + Number(shown !== null && now - shown < HELD)
  return [...voices].sort((a, b) => rank(b) - rank(a) || b.since - a.since).slice(0, most)
}
