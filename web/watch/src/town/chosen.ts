/** A speaker, with the fields that decide whose words are shown. */
export interface Voice {
  /** Whether the person points at, selected or follows the speaker. */
  readonly marked: boolean
  /** When it was said, in milliseconds. */
  readonly since: number
  /** When its words appeared; null while a mark replaces them. */
  readonly shown: number | null
}

/** The greatest number of bubbles with full words at once. */
export const MOST_WHOLE = 8
/** How long words remain, in milliseconds, before newer ones may replace them. */
const HELD = 4000

/**
 * Chooses whose words are shown: marked speakers first, then words that were not yet shown long enough, then the newest.
 * @param most The greatest number shown at once.
 * @returns The chosen speakers, the most important first.
 */
export function chooseWhole<V extends Voice>(voices: readonly V[], most: number, now: number): V[] {
  const rank = ({ marked, shown }: V): number => Number(marked) * 2 + Number(shown !== null && now - shown < HELD)
  return [...voices].sort((a, b) => rank(b) - rank(a) || b.since - a.since).slice(0, most)
}
