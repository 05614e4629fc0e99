import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { PastWorld, asNumber, asObject, asText, eventSubject, eventTime, parseJson, type JsonObject, type WorldEvent } from '@playctl/sdk'
import type { Base, Instant, Source } from './source.js'

/** The greatest size of a file and of a line in bytes, and the greatest number of events. */
export const largest = 1 << 30
const longestLine = 16 << 20
export const mostEvents = 200_000

/**
 * Why a file is not shown: it is not a recording, a line is missing or was changed, the host went back to an earlier state,
 * it is too large, has too many events, or nothing to show.
 */
export type RecordingReason = 'form' | 'changed' | 'back' | 'size' | 'count' | 'nothing'

/** The error of a file that is not shown. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'

  /** @param line From 1; 0 for the whole file. */
  constructor(readonly line: number, readonly reason: RecordingReason) {
    super(`line ${line}: ${reason}`)
  }
}

interface Line {
  /** The start of the line in the file, in bytes. */
  readonly from: number
  readonly to: number
}

/** A recording of `playctl tail --record`: a file of JSON lines, which are read again when they are needed. */
export class Recording implements Source {
  readonly instants: Instant[] = []
  /** The lines of the events, by their places. */
  readonly #lines: Line[] = []
  /** Whole maps, each with the place of the first event after it. */
  readonly #maps: (Line & { readonly place: number })[] = []
  /** The number of the last line if the recording ends early, without the line that states its end. */
  endsAt: number | undefined

  constructor(private readonly file: Blob) {}

  async load(signal: AbortSignal): Promise<void> {
    if (this.file.size > largest) throw new RecordingError(0, 'size')
    let line = 0
    let at: number | undefined
    let complete = false
    let after = 0 // the position after the last line
    let map: { readonly sid: unknown, readonly rev: number } | undefined
    const digest = sha256.create()
    for await (const { text, pieces, from, to } of linesOf(this.file, signal)) {
      line += 1
      after = to + 1
      const { number, snapshot, event, end } = readLine(text, line)
      if (number !== line || complete) throw new RecordingError(line, number === undefined && line === 1 ? 'form' : 'changed')
      if (end !== undefined) {
        if (end.lines !== line - 1 || end.sha256 !== bytesToHex(digest.digest())) throw new RecordingError(line, 'changed')
        complete = true
        continue
      }
      for (const piece of pieces) digest.update(piece)
      digest.update(lineFeed)
      if (snapshot !== undefined) {
        const { sid, rev } = asObject(snapshot) ?? {}
        if (map !== undefined && map.sid === sid && (asNumber(rev) ?? map.rev) < map.rev) throw new RecordingError(line, 'back')
        map = { sid, rev: asNumber(rev) ?? 0 }
        this.#maps.push({ from, to, place: this.instants.length })
      } else if (event !== undefined && this.#maps.length > 0 && event.kind !== 'session:reset' && event.kind !== 'session:resync') {
        if (this.instants.length >= mostEvents) throw new RecordingError(line, 'count')
        at = eventTime(event) ?? at ?? 0
        const rev = asNumber(event.data.rev) ?? 0
        this.instants.push({ seq: event.seq, rev, at, kind: event.kind, who: eventSubject(event) })
        this.#lines.push({ from, to })
      }
    }
    if (complete && after < this.file.size) throw new RecordingError(line + 1, 'changed')
    if (this.instants.length === 0) throw new RecordingError(line, 'nothing')
    if (!complete) this.endsAt = line
  }

  async events(from: number, to: number): Promise<readonly WorldEvent[]> {
    return Promise.all(this.#lines.slice(from, to + 1).map(async (line, i) => {
      const { event } = readLine(await this.#text(line), from + i)
      if (event === undefined) throw new RecordingError(from + i, 'form')
      return event
    }))
  }

  joined(place: number): number { return this.#before(place)?.place ?? 0 }

  async base(place: number): Promise<Base> {
    const map = this.#before(place)
    if (map === undefined) throw new RecordingError(0, 'nothing')
    return { world: PastWorld.of(readLine(await this.#text(map), 0).snapshot), from: map.place }
  }

  #before(place: number): (Line & { readonly place: number }) | undefined {
    return this.#maps.filter((map) => map.place <= place).at(-1)
  }

  #text({ from, to }: Line): Promise<string> {
    return this.file.slice(from, to).text()
  }
}

const lineFeed = Uint8Array.of(10)

/** One line: a whole map, an event, or the end, which states what is before it. */
interface Parsed {
  readonly number: number | undefined
  readonly snapshot?: unknown
  readonly event?: WorldEvent
  readonly end?: JsonObject
}

/** Reads a line; the first one of a file that is none is a wrong form, any other one was changed. */
function readLine(text: string, line: number): Parsed {
  let value: ReturnType<typeof asObject>
  try {
    value = asObject(parseJson(text))
  } catch {
    value = undefined
  }
  const { line: number, snapshot, event, data, seq } = value ?? {}
  const end = asObject(value?.end)
  const parsed = { number: asNumber(number) }
  if (snapshot !== undefined) return { ...parsed, snapshot }
  if (end !== undefined) return { ...parsed, end }
  const [kind, fields] = [asText(event), asObject(data)]
  if (kind === undefined || fields === undefined) throw new RecordingError(line, line > 1 ? 'changed' : 'form')
  return { ...parsed, event: { kind, data: fields, ...(typeof seq === 'number' ? { seq } : {}) } }
}

/** Yields the lines of a file with their positions, without an unterminated last line, which may be cut off. */
async function* linesOf(file: Blob, signal: AbortSignal): AsyncGenerator<{ text: string, pieces: readonly Uint8Array[], from: number, to: number }> {
  const decoder = new TextDecoder()
  const reader = file.stream().getReader()
  // The start of the current line, which may come in many pieces.
  let pieces: Uint8Array[] = []
  let from = 0
  let to = 0
  const take = (piece: Uint8Array): void => {
    pieces.push(piece)
    to += piece.length
  }
  for (let line = 1; ;) {
    const { done, value } = await reader.read()
    signal.throwIfAborted()
    if (done) return
    let begin = 0
    for (let end = value.indexOf(10); end >= 0; end = value.indexOf(10, begin)) {
      take(value.subarray(begin, end))
      yield { text: pieces.map((piece, i) => decoder.decode(piece, { stream: i < pieces.length - 1 })).join(''), pieces, from, to }
      pieces = []
      to += 1
      from = to
      begin = end + 1
      line += 1
    }
    take(value.subarray(begin))
    if (to - from > longestLine) throw new RecordingError(line, 'size')
  }
}
