import type { PastWorld, WorldClient, WorldEvent } from '@playctl/sdk'

/** One past event, with only the data for the time bar. */
export interface Instant {
  /** Its position in the log; undefined if the host has no numbers. */
  readonly seq: number | undefined
  readonly rev: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly kind: string
  /** The id of its subject; empty if it is about the whole world. */
  readonly who: string
}

/** A map of the past, and the place of the first event that it may lack. */
export interface Base {
  readonly world: PastWorld
  readonly from: number
}

/** The source of past events: a host, or a file. Events are identified by their places, from 0. */
export interface Source {
  /** The oldest event first; more may be appended. */
  readonly instants: readonly Instant[]
  /** Reads the list of events. */
  load(signal: AbortSignal): Promise<void>
  /** Returns the events at some places, including the last, with their rows. */
  events(from: number, to: number, signal: AbortSignal): Promise<readonly WorldEvent[]>
  /** Returns the first place from which events lead to a place without a gap. */
  joined(place: number): number
  /** Returns a whole map from which events lead to a place. */
  base(place: number, signal: AbortSignal): Promise<Base>
}

/** The number of events in a cached part, and the number of cached parts. */
const partLength = 100
const keptParts = 32
/** The number of events in one request, and the number in the bar, unless the host stores fewer. */
const listed = 1000
const most = 20_000
/** The maximum length of the list until it is read again, and of the events waiting for it. */
const atMost = 4 * most

/** The past in a host's log. */
export class HostPast implements Source {
  instants: Instant[] = []
  readonly #parts = new Map<number, readonly WorldEvent[]>()
  /** Events since the list is being read, which may lack them; undefined while it is not being read. */
  #meanwhile: Instant[] | undefined

  constructor(private readonly client: WorldClient) {}

  async load(signal: AbortSignal): Promise<void> {
    const meanwhile: Instant[] = []
    this.#meanwhile = meanwhile
    try {
      this.instants = await this.#list(signal)
    } finally {
      this.#meanwhile = undefined
      for (const instant of meanwhile) this.add(instant)
    }
  }

  async #list(signal: AbortSignal): Promise<Instant[]> {
    const found: Instant[] = []
    for (let after: number | undefined = undefined, more = true; more && found.length < most;) {
      const page = await this.client.listEvents({ brief: true, limit: listed, ...(after === undefined ? {} : { afterSeq: after }) }, { signal })
      for (const { seq, rev, event, at, playerId = '' } of page.events) found.push({ seq, rev, at: Date.parse(at), kind: event, who: playerId })
      after = page.lastSeq
      more = page.hasMore
    }
    const [oldest] = found
    // If the host has no map that is old enough, its events cannot be verified.
    const { rev = 0 } = oldest === undefined ? {} : await this.client.pastWorld(oldest.rev, { signal })
    return found.filter((instant) => instant.rev >= rev)
  }

  /** Whether there are more events than should be listed, of which the host has dropped the oldest. */
  get full(): boolean { return this.instants.length >= 2 * most }

  /** Adds a new event, as long as there is room: while a past moment is shown, the list is not read again. */
  add(instant: Instant): void {
    if (this.#meanwhile !== undefined) {
      if (this.#meanwhile.length < atMost) this.#meanwhile.push(instant)
      return
    }
    const newest = this.instants.at(-1)?.seq ?? -1
    if (instant.seq !== undefined && instant.seq > newest && this.instants.length < atMost) this.instants.push(instant)
  }

  async events(from: number, to: number, signal: AbortSignal): Promise<readonly WorldEvent[]> {
    const events: WorldEvent[] = []
    for (let part = Math.floor(from / partLength); part * partLength <= to; part += 1) {
      const begin = part * partLength
      const need = Math.min(to, begin + partLength - 1) - begin + 1
      events.push(...(await this.#part(part, need, signal)).slice(Math.max(0, from - begin), need))
    }
    return events
  }

  async #part(part: number, need: number, signal: AbortSignal): Promise<readonly WorldEvent[]> {
    const known = this.#parts.get(part) ?? []
    const events = [...known]
    while (events.length < need) {
      const place = part * partLength + events.length
      const seq = this.instants[place]?.seq
      if (seq === undefined) throw new RangeError(`there is no event ${place}`)
      const page = await this.client.listEvents({ afterSeq: seq - 1, limit: partLength - events.length }, { signal })
      for (const { seq: position, event, data } of page.events) {
        // Events after the list was created are at its end.
        if (position === this.instants[part * partLength + events.length]?.seq) events.push({ seq: position, kind: event, data: data as WorldEvent['data'] })
      }
      if (page.events[0]?.seq !== seq) throw new Error('the host no longer keeps these events')
    }
    this.#parts.delete(part)
    this.#parts.set(part, events)
    for (const [oldest] of this.#parts) if (this.#parts.size > keptParts) this.#parts.delete(oldest)
    return events
  }

  joined(): number { return 0 }

  async base(place: number, signal: AbortSignal): Promise<Base> {
    const world = await this.client.pastWorld(this.instants[place]?.rev ?? 0, { signal })
    const rev = world.rev ?? 0
    const from = this.instants.findIndex((instant) => instant.rev >= rev)
    if (from < 0 || from > place) throw new Error('the host no longer keeps this moment')
    return { world, from }
  }
}
