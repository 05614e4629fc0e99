/** What is not as an event stream has to be. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/**
 * One block of an event stream (WHATWG HTML, section 9.2.6). Unlike there, a
 * block without data is given as well where it sets the id: that is how a host
 * states a cursor.
 */
export interface Frame {
  /** The id that the block sets; absent if it sets none. */
  readonly id?: string
  /** The event's name, `message` where the block has none. */
  readonly kind: string
  /** The event's data; absent for a block that only sets the id. */
  readonly data?: string
}

/** The longest frame in bytes: an honest one has a row, twice a journey and its positioned copy. */
export const maxFrameBytes = 8 << 20

const lf = 0x0a
const cr = 0x0d

/**
 * Parses an event stream that comes in any pieces. Lines end with CR, LF or
 * both; a leading byte order mark is skipped; an unfinished block is dropped.
 */
export class FrameParser {
  /** The last reconnection time that the stream set, in milliseconds. */
  retryMs: number | undefined
  readonly #limit: number
  #line: Uint8Array[] = []
  #used = 0
  #afterCR = false
  #started = false
  #id: string | undefined
  #kind = ''
  #data: string[] | undefined

  constructor(limit = maxFrameBytes) {
    this.#limit = limit
  }

  /** Takes the next piece and gives the frames that it completes. */
  push(piece: Uint8Array): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]
      if (byte !== lf && byte !== cr) {
        this.#afterCR = false
        continue
      }
      if (byte === lf && this.#afterCR) {
        this.#afterCR = false
        start = i + 1
        continue
      }
      this.#keep(piece.subarray(start, i))
      start = i + 1
      this.#afterCR = byte === cr
      const frame = this.#endLine()
      if (frame !== undefined) frames.push(frame)
    }
    if (start < piece.length) this.#keep(piece.slice(start))
    return frames
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return
    this.#used += part.length
    if (this.#used > this.#limit) throw new FrameError(`a frame of the event stream is longer than ${this.#limit} bytes`)
    this.#line.push(part)
  }

  #endLine(): Frame | undefined {
    const bytes = joined(this.#line)
    this.#line = []
    const line = this.#text(bytes)
    if (line.startsWith(':')) {
      // Comments keep a connection alive; they are no part of a block.
      this.#used -= bytes.length
      return undefined
    }
    if (line !== '') {
      this.#field(line)
      return undefined
    }
    return this.#endBlock()
  }

  /** A line as text, without the byte order mark that the first one may begin with. */
  #text(bytes: Uint8Array): string {
    let line
    try {
      line = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new FrameError('a line of the event stream is not UTF-8')
    }
    if (!this.#started) {
      this.#started = true
      if (line.startsWith('\uFEFF')) return line.slice(1)
    }
    return line
  }

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(colon + 1)
    const value = rest.startsWith(' ') ? rest.slice(1) : rest
    switch (name) {
      case 'event':
        this.#kind = value
        break
      case 'data':
        ;(this.#data ??= []).push(value)
        break
      case 'id':
        if (!value.includes('\0')) this.#id = value
        break
      case 'retry':
        if (/^[0-9]+$/u.test(value)) this.retryMs = Math.min(Number(value), 24 * 60 * 60 * 1000)
        break
    }
  }

  #endBlock(): Frame | undefined {
    const kind = this.#kind || 'message'
    const id = this.#id
    const data = this.#data?.join('\n')
    this.#id = this.#data = undefined
    this.#kind = ''
    this.#used = 0
    if (id === undefined && data === undefined) return undefined
    return { kind, ...(id === undefined ? {} : { id }), ...(data === undefined ? {} : { data }) }
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Reads an event's id as a position of the log; undefined if it is none. */
export function positionOf(id: string | undefined): number | undefined {
  if (id === undefined || !/^[0-9]{1,16}$/u.test(id)) return undefined
  const seq = Number(id)
  return Number.isSafeInteger(seq) ? seq : undefined
}
