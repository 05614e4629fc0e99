import { batch, signal } from '@preact/signals'
import { MismatchError, eventSubject, eventTime, type WorldClient, type WorldEvent } from '@playctl/sdk'
import { faultOf } from '../access/faults.js'
import type { WorldStore } from '../world/store.js'
import { Prover } from './prover.js'
import { Recording, RecordingError, type RecordingReason } from './recording.js'
import { HostPast, type Source } from './source.js'

/** The speeds, as multiples of real time. */
export const speeds = [1, 2, 5, 10, 30, 60] as const
/** Milliseconds between two checks of the clock while playing. */
const tick = 100
/** The longest duration of a pause without events while playing, in milliseconds. */
const longestPause = 2000
/** Lines from up to this many milliseconds before a moment are still shown above their speakers; at most this many events are played at once. */
const spoken = 8000
const playedAtOnce = 40

/** Why a moment is not shown. */
export interface Trouble {
  readonly is: 'unproved' | 'unread' | RecordingReason
  readonly why: string
  readonly line: number
}

/** Shows moments of the past on the page: from the host's log, or from a recording. */
export class Player {
  /** The place of the shown moment; undefined shows the present. */
  readonly place = signal<number | undefined>(undefined)
  readonly playing = signal(false)
  readonly speed = signal<number>(1)
  readonly reading = signal(false)
  readonly trouble = signal<Trouble | undefined>(undefined)
  /** Increases when there are more events. */
  readonly version = signal(0)
  source: Source
  /** The number of sources being read: a reset starts another one. */
  #reads = 0
  #prover: Prover
  #wanted: number | undefined
  #showing: Promise<void> | undefined
  /** Increases when the present is shown: a moment requested before that is no longer shown. */
  #turn = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** The current time in the past, and the real time when it was set, while playing. */
  #clock = { then: 0, real: 0 }
  #ending = new AbortController()
  readonly #unlisten: () => void

  constructor(private readonly store: WorldStore, client: WorldClient) {
    this.source = new HostPast(client)
    this.#prover = new Prover(this.source)
    this.#unlisten = store.listen((event) => { this.#take(event, event.at) })
  }

  /** The number of the last line of a recording that ends early. */
  get endsAt(): number | undefined { return this.source instanceof Recording ? this.source.endsAt : undefined }

  close(): void {
    this.#unlisten()
    this.#ending.abort()
    this.pause()
    this.store.showNow()
  }

  /** Reads the events from the host. */
  async load(): Promise<void> {
    await this.#read(this.source)
  }

  /** Opens a recording; false if the file is none. */
  async open(file: Blob, name: string): Promise<boolean> {
    this.pause()
    const recording = new Recording(file)
    if (!await this.#read(recording)) return false
    this.source = recording
    this.#prover = new Prover(recording)
    this.store.recording.value = name
    this.version.value += 1
    await this.go(0)
    return true
  }

  async #read(source: Source): Promise<boolean> {
    this.#reads += 1
    batch(() => { this.reading.value = true; this.trouble.value = undefined })
    try {
      await source.load(this.#ending.signal)
      return true
    } catch (cause) {
      if (source === this.source || source instanceof Recording) this.#fail(cause)
      return false
    } finally {
      this.#reads -= 1
      batch(() => { this.reading.value = this.#reads > 0; this.version.value += 1 })
    }
  }

  /** Shows the moment after the event at a place. Of several requests, the last one is shown. */
  go(place: number): Promise<void> {
    this.#wanted = Math.max(0, Math.min(place, this.source.instants.length - 1))
    this.#showing ??= this.#run().finally(() => { this.#showing = undefined })
    return this.#showing
  }

  /** Shows the last moment up to a position of the log; false if it is before all events. */
  async goTo(seq: number): Promise<boolean> {
    const after = this.source.instants.findIndex((instant) => (instant.seq ?? Infinity) > seq)
    const place = (after < 0 ? this.source.instants.length : after) - 1
    if (place >= 0) await this.go(place)
    return place >= 0
  }

  async #run(): Promise<void> {
    while (this.#wanted !== undefined && !this.#ending.signal.aborted) {
      const place = this.#wanted
      const turn = this.#turn
      this.#wanted = undefined
      try {
        await this.#show(place)
      } catch (cause) {
        if (turn !== this.#turn) continue
        this.pause()
        this.#fail(cause)
      }
    }
  }

  async #show(place: number): Promise<void> {
    const { source } = this
    const turn = this.#turn
    const instant = source.instants[place]
    if (instant === undefined) return
    const before = this.place.peek()
    const world = await this.#prover.at(place, this.#ending.signal)
    const onward = this.playing.peek() && before !== undefined && before < place
    const events = await this.#recentEvents(place, onward ? before : undefined)
    if (source !== this.source || turn !== this.#turn) return
    batch(() => {
      this.trouble.value = undefined
      this.place.value = place
      this.store.showThen({ seq: instant.seq, at: instant.at, snapshot: world.snapshot, proved: world.proved }, !onward)
    })
    for (const [event, at] of events) this.store.replay({ ...event, at, past: false })
  }

  /** Returns the lines just before a moment; while playing, all events since the moment before it. */
  async #recentEvents(place: number, before: number | undefined): Promise<readonly (readonly [WorldEvent, number])[]> {
    const { instants } = this.source
    const end = instants[place]?.at ?? 0
    let from = before === undefined ? place : before + 1
    while (before === undefined && from > 0 && end - (instants[from - 1]?.at ?? 0) < spoken) from -= 1
    from = Math.max(from, place - playedAtOnce + 1)
    const events = await this.source.events(from, place, this.#ending.signal)
    return events
      .map((event, i) => [event, instants[from + i]?.at ?? 0] as const)
      .filter(([{ kind }, ], i) => before !== undefined || from + i === place || kind === 'world:interaction')
  }

  /** Stays at a place, which is then in the address. */
  async stay(place: number): Promise<void> {
    this.pause()
    await this.go(place)
    // A recording has no link.
    if (this.source instanceof HostPast) this.store.moment.value = this.store.time.peek()?.seq
  }

  /** Moves one event forward or back. */
  step(by: 1 | -1): void {
    void this.stay((this.place.value ?? this.source.instants.length - 1) + by)
  }

  /** Moves to the next or the previous event of an occupant; false if there is none. */
  jump(who: string, by: 1 | -1): boolean {
    const { instants } = this.source
    for (let place = (this.place.value ?? instants.length) + by; place >= 0 && place < instants.length; place += by) {
      if (instants[place]?.who !== who) continue
      void this.stay(place)
      return true
    }
    return false
  }

  play(): void {
    const { instants } = this.source
    if (instants.length === 0) return
    const from = this.place.value === undefined || this.place.value >= instants.length - 1 ? 0 : this.place.value
    this.playing.value = true
    this.#clock = { then: instants[from]?.at ?? 0, real: Date.now() }
    if (from !== this.place.value) void this.go(from)
    this.#timer ??= setInterval(() => { this.#tick() }, tick)
  }

  pause(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.playing.value = false
  }

  /** Shows the present: closes a recording if there is a world besides it. */
  live(): void {
    this.pause()
    this.#turn += 1
    this.#wanted = undefined
    if (this.source instanceof Recording) this.#begin()
    batch(() => {
      this.trouble.value = undefined
      this.place.value = undefined
      this.store.showNow()
    })
  }

  /** Starts with the current past of the host. */
  #begin(): void {
    this.source = new HostPast(this.store.client)
    this.#prover = new Prover(this.source)
    void this.load()
  }

  #tick(): void {
    const { instants } = this.source
    const { place, speed } = this
    if (this.#showing !== undefined || place.value === undefined) return
    const next = instants[place.value + 1]
    if (next === undefined) {
      this.pause()
      if (this.source instanceof HostPast) this.live()
      return
    }
    const real = Date.now()
    let then = this.#clock.then + (real - this.#clock.real) * speed.value
    // Of a time without events, the end is shown.
    then = Math.max(then, next.at - longestPause * speed.value)
    this.#clock = { then, real }
    let reached = place.value
    while ((instants[reached + 1]?.at ?? Infinity) <= then) reached += 1
    if (reached > place.value) void this.go(reached)
  }

  #take(event: WorldEvent, at: number): void {
    if (!(this.source instanceof HostPast)) return
    if (event.kind === 'session:reset' || event.kind === 'session:resync') {
      // Earlier events are no longer stored, or there is a gap after them.
      this.live()
      this.#begin()
      return
    }
    const { rev } = event.data
    this.source.add({ seq: event.seq, rev: typeof rev === 'number' ? rev : 0, at: eventTime(event) ?? at, kind: event.kind, who: eventSubject(event) })
    this.version.value += 1
    if (this.source.full && this.place.peek() === undefined && !this.reading.peek()) this.#begin()
  }

  #fail(cause: unknown): void {
    if (this.#ending.signal.aborted) return
    const why = faultOf(cause).message
    if (cause instanceof RecordingError) this.trouble.value = { is: cause.reason, why, line: cause.line }
    else this.trouble.value = { is: cause instanceof MismatchError || (cause as Error).name === 'ChainError' ? 'unproved' : 'unread', why, line: 0 }
  }
}
