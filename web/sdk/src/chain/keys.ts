/** The stable key of a chain's first leaf, whose payload is the root key. */
export const PLAYER_CHAIN_GENESIS_STABLE_KEY = '__genesis__'

/** The stable key of a chain's second leaf: session and bounds. */
export const PLAYER_CHAIN_HEADER_STABLE_KEY = '__header__'

/** Returns the number of the section of leaves that a key belongs to, in chain order. */
export function rankOf(key: string): 0 | 1 | 2 | 3 {
  if (key === PLAYER_CHAIN_GENESIS_STABLE_KEY) return 0
  if (key === PLAYER_CHAIN_HEADER_STABLE_KEY) return 1
  return key.startsWith('space:') ? 3 : 2
}

/**
 * Returns the kind of node that a stable key names; undefined for a text that is
 * not a stable key.
 */
export function nodeKindOf(key: string): 'genesis' | 'header' | 'occupant' | 'space' | undefined {
  switch (rankOf(key)) {
    case 0:
      return 'genesis'
    case 1:
      return 'header'
    case 3:
      return 'space'
    case 2:
      return /^(?:agent|mcp|human|structure):/u.test(key) ? 'occupant' : undefined
  }
}

/**
 * Orders two stable keys as their leaves are ordered in the chain: genesis,
 * header, occupants, spaces, and within these by the keys' UTF-8 bytes.
 */
export function compareKeys(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || compareUtf8(a, b)
}

/** Orders two texts by their UTF-8 bytes, which is the order of their code points. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return byCodePoint(left) - byCodePoint(right)
  }
  return a.length - b.length
}

/** Moves surrogates, which stand for code points from U+10000 on, behind U+E000 to U+FFFF. */
function byCodePoint(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
