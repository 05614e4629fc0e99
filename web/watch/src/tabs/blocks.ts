/** One block of an event stream, with the blank line that ends it. */
export interface Block {
  readonly text: string
  /** The position that it states; undefined for a comment or a reconnection time. */
  readonly seq: number | undefined
  /** What it is: an event, an event after which the log continues elsewhere, or neither, such as a comment. */
  readonly is: 'event' | 'restart' | 'other'
}

/** The longest block in characters, as in the client, which reports a longer one. */
const longest = 8 << 20

/**
 * Yields the blocks of an event stream of a playctl host, whose lines end with LF, and at last the beginning of a
 * block that has not ended. Throws an error for bytes that are not UTF-8, and for a block that is too long.
 */
export async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Block, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  let rest = ''
  for (let piece = await reader.read(); piece.value !== undefined; piece = await reader.read()) {
    // Only the new part can complete a block; the blank line may begin one character earlier.
    let from = Math.max(0, rest.length - 1)
    rest += decoder.decode(piece.value, { stream: true })
    for (let end = rest.indexOf('\n\n', from); end >= 0; end = rest.indexOf('\n\n', from)) {
      const text = rest.slice(0, end + 2)
      rest = rest.slice(end + 2)
      from = 0
      yield blockOf(text)
    }
    if (rest.length > longest) throw new TypeError('a block of the event stream is too long')
  }
  if (rest !== '') yield blockOf(rest)
}

function blockOf(text: string): Block {
  // The data is one line, after these.
  const head = text.slice(0, 200)
  const id = /^id: ?(\d{1,16})$/m.exec(head)?.[1]
  const seq = id === undefined ? undefined : Number(id)
  const kind = /^event: ?(.*)$/m.exec(head)?.[1]
  if (seq === undefined || kind === undefined) return { text, seq, is: 'other' }
  return { text, seq, is: kind === 'session:resync' ? 'restart' : 'event' }
}
