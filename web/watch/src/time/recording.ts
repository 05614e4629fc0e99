import { PastWorld, asObject, asText, eventSubject, eventTime, parseJson, type WorldEvent } from '@playctl/sdk'
import type { Base, Instant, Source } from './source.js'

/** The greatest size of a file and of a line in bytes, and the greatest number of events. */
export const largest = 1 << 30
const longestLine = 64 << 20
export const mostEvents = 200_000

/** The error of a file that is not a recording. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'

  /** @param line From 1; 0 for the whole file. */
  constructor(readonly line: number, readonly reason: 'form' | 'size' | 'count' | 'nothing') {
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

  constructor(private readonly file: Blob) {}

  async load(signal: AbortSignal): Promise<void> {
    if (this.file.size > largest) throw new RecordingError(0, 'size')
    let line = 0
    let at: number | undefined
    for await (const { text, from, to } of linesOf(this.file, signal)) {
      line += 1
      if (text.trim() === '') continue
      const { snapshot, event } = readLine(text, line)
      if (snapshot !== undefined) {
        this.#maps.push({ from, to, place: this.instants.length })
      } else if (event !== undefined && this.#maps.length > 0 && event.kind !== 'session:reset' && event.kind !== 'session:resync') {
        if (this.instants.length >= mostEvents) throw new RecordingError(line, 'count')
        at = eventTime(event) ?? at ?? 0
        const { rev } = event.data
        this.instants.push({ seq: event.seq, rev: typeof rev === 'number' ? rev : 0, at, kind: event.kind, who: eventSubject(event) })
        this.#lines.push({ from, to })
      }
    }
    if (this.instants.length === 0) throw new RecordingError(line, 'nothing')
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

function readLine(text: string, line: number): { snapshot?: unknown, event?: WorldEvent } {
  let value: ReturnType<typeof asObject>
  try {
    value = asObject(parseJson(text))
  } catch {
    value = undefined
  }
  const { snapshot, event, data, seq } = value ?? {}
  if (snapshot !== undefined) return { snapshot }
  const [kind, fields] = [asText(event), asObject(data)]
  if (kind === undefined || fields === undefined) throw new RecordingError(line, 'form')
  return { event: { kind, data: fields, ...(typeof seq === 'number' ? { seq } : {}) } }
}

/** Yields the lines of a file with their positions, without an unterminated last line, which may be cut off. */
async function* linesOf(file: Blob, signal: AbortSignal): AsyncGenerator<{ text: string, from: number, to: number }> {
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
      yield { text: pieces.map((piece, i) => decoder.decode(piece, { stream: i < pieces.length - 1 })).join(''), from, to }
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
