/**
 * The appearance of an agent, derived only from its id: the same on every page,
 * and its coat the same as in a terminal (internal/render, agent_color.go). The known
 * answers are in internal/render/testdata/looks.json.
 */

/** The colors of coats, in the same order as in the terminal. */
export const COATS = [
  '#d75f5f', '#d7875f', '#d78700', '#87af00', '#5faf5f', '#00af87',
  '#5f87af', '#5f87ff', '#875fd7', '#af5fd7', '#d75faf', '#d7005f',
] as const

/** The number of variants of each trait. */
export const TRAITS = { build: 3, head: 14, pattern: 7, trim: 6, skin: 8, extra: 5, hair: 7 } as const

/** The traits of a figure, each the index of one of {@link TRAITS}, the coat of {@link COATS}. */
export interface Look {
  readonly seed: number
  readonly coat: number
  readonly build: number
  readonly head: number
  readonly pattern: number
  readonly trim: number
  readonly skin: number
  readonly extra: number
  readonly hair: number
}

const encoder = new TextEncoder()

/** Mixes the bits of a number: the finalizer of MurmurHash3 for 32 bits (Austin Appleby, public domain). */
export function spread(value: number): number {
  let h = value >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns the seed of a figure's traits: FNV-1a of 32 bits, its bits mixed. */
export function lookSeed(id: string): number {
  let h = 0x811c9dc5
  for (const byte of encoder.encode(id)) h = Math.imul(h ^ byte, 0x01000193)
  return spread(h)
}

/** Returns the look of an id. Each trait uses a number of its own, one step of the golden ratio after the last. */
export function lookOf(id: string): Look {
  const seed = lookSeed(id)
  const trait = (index: number, count: number): number => spread(seed + Math.imul(index, 0x9e3779b9)) % count
  return {
    seed,
    coat: seed % COATS.length,
    build: trait(1, TRAITS.build),
    head: trait(2, TRAITS.head),
    pattern: trait(3, TRAITS.pattern),
    trim: trait(4, TRAITS.trim),
    skin: trait(5, TRAITS.skin),
    extra: trait(6, TRAITS.extra),
    hair: trait(7, TRAITS.hair),
  }
}
