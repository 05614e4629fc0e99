/** A body that was read, and whether that was all of it. */
export interface Body {
  readonly text: string
  readonly whole: boolean
}

/** Reads at most so many bytes of a body. What is not UTF-8 is a `TypeError`. */
export async function readBody(response: Response, limit: number): Promise<Body> {
  const reader = response.body?.getReader()
  if (reader === undefined) return { text: '', whole: true }
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > limit) {
      await reader.cancel().catch(() => undefined)
      return { text: '', whole: false }
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), whole: true }
}
