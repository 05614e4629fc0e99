/** The bytes read of a body, and whether they are the complete body. */
export interface Body {
  readonly bytes: Uint8Array
  readonly whole: boolean
}

/** Reads at most `limit` bytes of a body. */
export async function readBody(response: Response, limit: number): Promise<Body> {
  const reader = response.body?.getReader()
  if (reader === undefined) return { bytes: new Uint8Array(), whole: true }
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > limit) {
      await reader.cancel().catch(() => undefined)
      return { bytes: new Uint8Array(), whole: false }
    }
    chunks.push(value)
  }
  return { bytes: joined(chunks, size), whole: true }
}

/** Joins pieces that have `size` bytes in all. */
function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** A body as text. One that is not UTF-8 is a `TypeError`: engines word theirs differently, and tell nothing more. */
export function textOf(body: Body): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body.bytes)
  } catch {
    throw new TypeError('it is not UTF-8')
  }
}
