/**
 * The protocol's white space is that of ECMAScript, so `trim` and `\s` are correct:
 * U+FEFF is in the set, U+0085 is not.
 */
const runs = /\s+/gu

/** Turns every run of white space into one space and trims both ends. */
export function normalizeSpaces(text: string): string {
  return text.replace(runs, ' ').trim()
}

/** Reports whether a text is empty or consists only of white space. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** Reports whether a text is exactly 64 lower-case hex digits, as a derived id, a digest, a root key and a phrase's hash are. */
export function isHexDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/u.test(text)
}

/** Returns a node's id as it is compared and sent: trimmed and lower-cased. */
export function normalizeNodeId(text: string): string {
  return text.trim().toLowerCase()
}

/**
 * Returns an agent's id as it is compared and sent. A derived id is 64 hex digits and
 * is lower-cased; on a host without a repository it is any text and stays unchanged.
 */
export function normalizeAgentId(text: string): string {
  const id = normalizeNodeId(text)
  return isHexDigest(id) ? id : text
}
