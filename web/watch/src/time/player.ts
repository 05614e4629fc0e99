import { batch, signal } from '@preact/signals'
import { MismatchError, eventTime, type WorldClient, type WorldEvent } from '@playctl/sdk'
import { faultOf } from '../access/faults.js'
import type { WorldStore } from '../world/store.js'
import { Prover } from './prover.js'
import { Recording, RecordingError } from './recording.js'
import { HostPast, subjectOf, type Source } from './source.js'

/** How many times faster than it happened. */
export const speeds = [1, 2, 5, 10, 30, 60] as const
/** Milliseconds between two looks at the clock while it plays. */
const tick = 100
/** A pause of the past is as long as this many milliseconds of watching, at most. */
const longestPause = 2000
/** What was said so many milliseconds before a moment is still above who said it; so many happenings are played at once at most. */
const spoken = 8000
const playedAtOnce = 40

/** Why a moment is not shown. */
export interface Trouble {
  readonly is: 'unproved' | 'unread' | 'form' | 'size' | 'count' | 'nothing'
  readonly why: string
  readonly line: number
}

/** Shows moments of the past on the page: of the host's log, or of a recording. */
export class Player {
  /** The place of what is shown; undefined shows what is now. */
  readonly place = signal<number | undefined>(undefined)
  readonly playing = signal(false)
  readonly speed = signal<number>(1)
  readonly reading = signal(false)
  readonly trouble = signal<Trouble | undefined>(undefined)
  /** Goes up when there are more happenings. */
  readonly version = signal(0)
  source: Source
  /** How many sources are being read: a reset begins another one. */
  #reads = 0
  #prover: Prover
  #wanted: number | undefined
  #showing: Promise<void> | undefined
  /** Goes up when what is now is shown: a moment that was asked for before that is not shown any more. */
  #turn = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** The time of the past that is reached, and when that was, while it plays. */
  #clock = { then: 0, real: 0 }
  #ending = new AbortController()
  readonly #unlisten: () => void

  constructor(private readonly store: WorldStore, client: WorldClient) {
    this.source = new HostPast(client)
    this.#prover = new Prover(this.source)
    this.#unlisten = store.listen((event) => { this.#take(event, event.at) })
  }

  close(): void {
    this.#unlisten()
    this.#ending.abort()
    this.pause()
    this.store.showNow()
  }

  /** Reads what happened, from the host. */
  async load(): Promise<void> {
    await this.#read(this.source)
  }

  /** Opens a recording; false where it is none. */
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

  /** Shows the moment after the happening of a place. Of several that are asked for, the last is shown. */
  go(place: number): Promise<void> {
    this.#wanted = Math.max(0, Math.min(place, this.source.instants.length - 1))
    this.#showing ??= this.#run().finally(() => { this.#showing = undefined })
    return this.#showing
  }

  /** Shows the last moment up to a position of the log; false where it is from before all that there is. */
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
    const events = await this.#lately(place, onward ? before : undefined)
    if (source !== this.source || turn !== this.#turn) return
    batch(() => {
      this.trouble.value = undefined
      this.place.value = place
      this.store.showThen({ seq: instant.seq, at: instant.at, snapshot: world.snapshot, proved: world.proved }, !onward)
    })
    for (const [event, at] of events) this.store.replay({ ...event, at, past: false })
  }

  /** What was said right before a moment; where it is played, all since the moment before it. */
  async #lately(place: number, before: number | undefined): Promise<readonly (readonly [WorldEvent, number])[]> {
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

  /** Stays at a place, which the address then names. */
  async stay(place: number): Promise<void> {
    this.pause()
    await this.go(place)
    // Of a recording there is no link.
    if (this.source instanceof HostPast) this.store.moment.value = this.store.time.peek()?.seq
  }

  /** Goes one happening on or back. */
  step(by: 1 | -1): void {
    void this.stay((this.place.value ?? this.source.instants.length - 1) + by)
  }

  /** Goes to the next or the last happening of somebody before what is shown; false where there is none. */
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

  /** Shows what is now: closes a recording where there is a world beside it. */
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

  /** Begins with the host's past as it is now. */
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
    // Of a time in which nothing happened, the end is shown.
    then = Math.max(then, next.at - longestPause * speed.value)
    this.#clock = { then, real }
    let reached = place.value
    while ((instants[reached + 1]?.at ?? Infinity) <= then) reached += 1
    if (reached > place.value) void this.go(reached)
  }

  #take(event: WorldEvent, at: number): void {
    if (!(this.source instanceof HostPast)) return
    if (event.kind === 'session:reset' || event.kind === 'session:resync') {
      // What was before it is no longer kept, or does not lead to what comes.
      this.live()
      this.#begin()
      return
    }
    const { rev } = event.data
    this.source.add({ seq: event.seq, rev: typeof rev === 'number' ? rev : 0, at: eventTime(event) ?? at, kind: event.kind, who: subjectOf(event) })
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
