/** An error in the format of an event stream. */
export class FrameError extends Error {
  override readonly name = 'FrameError'

  /** Creates the error; `lowerSeq` is the id of an event that is not above the position before it. */
  constructor(message: string, readonly lowerSeq?: number) {
    super(message)
  }
}

/**
 * One block of an event stream (WHATWG HTML, section 9.2.6). Unlike in that standard, a
 * block without data is returned as well if it sets the id: a host states a cursor
 * this way.
 */
export interface Frame {
  /** The id that the block sets; absent if it sets none. */
  readonly id?: string
  /** The event's name, `message` if the block has none. */
  readonly kind: string
  /** The event's data; absent for a block that only sets the id. */
  readonly data?: string
}

/** The longest frame in bytes: a valid one has at most a row, and twice a journey and its positioned copy. */
export const maxFrameBytes = 8 << 20

const lf = 0x0a
const cr = 0x0d
const colon = 0x3a
const space = 0x20
/** The initial size of a line's buffer, and the size above which a buffer is not reused, in bytes. */
const usualLine = 1 << 10
const longLine = 1 << 16
/** Decodes names of fields and times, which are valid only in ASCII. */
const latin1 = new TextDecoder('latin1')
const byteOrderMark = [0xef, 0xbb, 0xbf] as const

/** The longest reconnection time, in milliseconds; a longer one is reduced to it. */
const longestRetryMs = 24 * 60 * 60 * 1000

/**
 * Parses an event stream that arrives in pieces of any size. Lines end with CR, LF or
 * both; a leading byte order mark is skipped; an unfinished block is dropped.
 */
export class FrameParser {
  /** The stream's last reconnection time, in milliseconds. */
  retryMs: number | undefined
  /** Whether anything besides a reconnection time has arrived. */
  started = false
  readonly #limit: number
  readonly #line = new LineBuffer()
  #used = 0
  #afterCR = false
  #started = false
  #id: Uint8Array | undefined
  #kind: Uint8Array | undefined
  #data: Uint8Array[] | undefined

  constructor(limit = maxFrameBytes) {
    this.#limit = limit
  }

  /**
   * Parses the next piece and appends the frames that it completes to a list. Throws
   * a `FrameError` if the stream is malformed; the list then has the frames before the error.
   */
  push(piece: Uint8Array, frames: Frame[]): void {
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
    this.#keep(piece.subarray(start))
  }

  #keep(part: Uint8Array): void {
    this.#used += part.length
    if (this.#used > this.#limit) throw new FrameError(`a frame of the event stream is longer than ${this.#limit} bytes`)
    this.#line.add(part)
  }

  #endLine(): Frame | undefined {
    const whole = this.#line.take()
    const line = this.#started ? whole : unmarked(whole)
    this.#started = true
    if (line.length === 0) return this.#endBlock()
    if (line[0] === colon) {
      this.started = true
      // Comments keep a connection alive; they are not part of a block.
      this.#used -= whole.length
      return undefined
    }
    this.#field(line)
    return undefined
  }

  #field(line: Uint8Array): void {
    const end = line.indexOf(colon)
    const name = end < 0 ? line : line.subarray(0, end)
    const value = end < 0 ? line.subarray(line.length) : line.subarray(line[end + 1] === space ? end + 2 : end + 1)
    const field = latin1.decode(name)
    this.started ||= field !== 'retry'
    switch (field) {
      case 'event':
        this.#kind = value
        break
      case 'data':
        ;(this.#data ??= []).push(value)
        break
      case 'id':
        if (!value.includes(0)) this.#id = value
        break
      case 'retry':
        this.#retry(latin1.decode(value))
        break
    }
  }

  #retry(value: string): void {
    if (/^[0-9]+$/u.test(value)) this.retryMs = Math.min(Number(value), longestRetryMs)
  }

  #endBlock(): Frame | undefined {
    const kind = this.#kind
    const id = this.#id
    const data = this.#data
    this.#id = this.#kind = this.#data = undefined
    this.#used = 0
    if (id === undefined && data === undefined) return undefined
    return {
      kind: kind === undefined || kind.length === 0 ? 'message' : decoded(kind),
      ...(id === undefined ? {} : { id: decoded(id) }),
      ...(data === undefined ? {} : { data: data.map(decoded).join('\n') }),
    }
  }
}

/** Collects a line whose pieces may be as small as a byte: its buffer grows by doubling, and a large one is not reused. */
class LineBuffer {
  #bytes = new Uint8Array(usualLine)
  #used = 0

  add(part: Uint8Array): void {
    const needed = this.#used + part.length
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = larger
    }
    this.#bytes.set(part, this.#used)
    this.#used = needed
  }

  /** Returns a copy of the line, and begins another. */
  take(): Uint8Array {
    const line = this.#bytes.slice(0, this.#used)
    this.#used = 0
    if (this.#bytes.length > longLine) this.#bytes = new Uint8Array(usualLine)
    return line
  }
}

/** Returns the first line without its byte order mark, if it has one. */
function unmarked(line: Uint8Array): Uint8Array {
  return byteOrderMark.every((byte, i) => line[i] === byte) ? line.subarray(byteOrderMark.length) : line
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new FrameError('a frame of the event stream is not UTF-8')
  }
}

/** Reads an event's id as a position in the log; undefined if it is none. */
export function positionOf(id: string | undefined): number | undefined {
  if (id === undefined || !/^[0-9]+$/u.test(id)) return undefined
  const seq = Number(id)
  return Number.isSafeInteger(seq) ? seq : undefined
}
