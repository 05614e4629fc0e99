import { effect, signal } from '@preact/signals'
import { hasCode, randomText, readEvent, type HumanRow, type ProximityAction } from '@playctl/sdk'
import { access, statusOf } from '../access/access.js'
import { faultOf, type Fault } from '../access/faults.js'
import { placeOf } from '../access/place.js'
import { nameOf } from '../app/names.js'
import { text } from '../text/text.js'
import type { Point } from '../town/geometry.js'
import type { Town } from '../town/town.js'
import type { WorldStore } from '../world/store.js'
import type { OccupantThing } from '../world/things.js'
import { MIN_INTERVAL, CellSender, type Answer } from './sender.js'
import { freeCell, nearestTo, Movement } from './movement.js'

/** The distance, in cells, within which a person can wave and talk: on adjacent cells. */
export const REACH = 1.6
/** How often the walk is checked, in milliseconds. */
const LOOK = 100
/** An occupant near for this many milliseconds is announced: not every one that the person walks past. */
const STAY = 500
/** An occupant near from the start is announced later, after the instructions for walking. */
const FIRST = 4000
/** How long the result of an action is shown, in milliseconds. */
const SHOWN = 6000

/** Why a person is no longer on the map. */
export type Why = 'lease' | 'admin' | 'reset' | 'elsewhere' | 'hidden' | 'refused'
export type Stage = 'out' | 'entering' | 'in' | 'gone'

/** The note about the last action. */
export interface Note {
  readonly text: string
  readonly wrong: boolean
}

/** The figure of the reader of the page, from entering the town until leaving it. */
export class Walker {
  readonly stage = signal<Stage>('out')
  /** Why the person could not enter, or is no longer there. */
  readonly fault = signal<Fault | undefined>(undefined)
  readonly why = signal<Why>('lease')
  /** The occupant that the person can wave to. */
  readonly near = signal<OccupantThing | undefined>(undefined)
  /** Whether the arrow keys walk; else they select residents, as for readers without a figure. */
  readonly keys = signal(true)
  readonly note = signal<Note | undefined>(undefined)
  readonly name = signal('')
  #town: Town | undefined
  #key = ''
  #id = ''
  #movement: Movement | undefined
  #sender: CellSender | undefined
  #seen: HumanRow | undefined
  /** When this page last changed the row. */
  #changedAt = -Infinity
  #ends: (() => void)[] = []
  #walking: ReturnType<typeof setInterval> | undefined
  #meeting: ReturnType<typeof setTimeout> | undefined
  #noting: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly store: WorldStore, private readonly announce: (sentence: string) => void) {}

  /** Sets the map that the figure is on. */
  set town(town: Town | undefined) {
    this.#town = town
    this.#steer()
  }

  get town(): Town | undefined { return this.#town }

  /** Enters the town, near the middle of the view. */
  async enter(name: string): Promise<void> {
    const town = this.#town
    const before = this.stage.peek()
    if (town === undefined || before === 'entering') return
    this.stage.value = 'entering'
    this.fault.value = undefined
    this.name.value = name
    const { x, y } = town.middle
    const { minX, minY, maxX, maxY } = this.#bounds()
    const middle = { x: Math.min(Math.max(Math.round(x), minX), maxX), y: Math.min(Math.max(Math.round(y), minY), maxY) }
    try {
      this.#came(await this.#come(this.#free(middle, { x: 0, y: 0 })))
    } catch (cause) {
      this.fault.value = faultOf(cause)
      this.why.value = 'refused'
      this.stage.value = before === 'gone' ? 'gone' : 'out'
    }
  }

  /** Leaves the town. */
  async leave(): Promise<void> {
    this.#stop()
    this.stage.value = 'out'
    try {
      await this.store.client.deletePerson()
    } catch (cause) {
      this.announce(text('person.leaveFailed', { why: faultOf(cause).message }))
    }
  }

  /** Removes the note about the end. */
  forget(): void { this.stage.value = 'out' }

  /** Walks in a direction, of a length up to 1; 0 stops. */
  head(to: Point): void {
    if (this.store.time.peek() !== undefined) return
    this.#movement?.head(to, performance.now())
    this.#walk()
  }

  /** Opens the questions to the nearest occupant. */
  talk(): void {
    const near = this.near.peek()
    if (near?.kind !== 'agent') return
    const open = this.store.selected.peek() === near.key && this.store.part.peek() === 'talk'
    this.store.asks = !open
    this.store.part.value = 'talk'
    this.store.select(near.key)
    if (open) document.querySelector<HTMLElement>('.panel .message textarea')?.focus()
  }

  /** Waves to the nearest occupant, or performs another action on it. */
  async act(action: Exclude<ProximityAction, 'assist'>): Promise<void> {
    const near = this.near.peek()
    if (near === undefined || (near.kind !== 'agent' && action !== 'chat')) return
    try {
      await this.store.client.proximityAction({ fromPlayerId: this.#id, toPlayerId: near.id, action })
      this.#tell({ text: text(`person.did.${action}`, { who: nameOf(near) }), wrong: false })
    } catch (cause) {
      this.#tell({ text: faultOf(cause).message, wrong: true })
    }
  }

  /** Switches the arrow keys between walking and the map. */
  turnKeys(): void {
    this.keys.value = !this.keys.peek()
    this.head({ x: 0, y: 0 })
    this.announce(text(this.keys.peek() ? 'person.keysWalk' : 'person.keysLook'))
  }

  /** Ends with the page. */
  end(): void { this.#stop() }

  /**
   * Requests the cell as soon as the host allows it; a person who has just left has to wait. Tries once more if that was too early, and
   * with another cookie if the host no longer knows this one, for example after the loss of its store.
   */
  async #come(cell: Point): Promise<{ row: HumanRow, answer: Answer }> {
    try {
      await pause(this.#changedAt + MIN_INTERVAL - Date.now())
      return await this.#put(cell)
    } catch (cause) {
      if ([401, 403].includes(statusOf(cause))) this.store.scope.value = await access(this.store.client)
      else if (hasCode(cause, 'rate_limited')) await pause(Math.max(cause.retryAfterMs, 1000))
      else throw cause
      return this.#put(cell)
    }
  }

  async #put(cell: Point): Promise<{ row: HumanRow, answer: Answer }> {
    const { person, leaseTtlSeconds } = await this.store.client.putPerson({ name: this.name.peek(), ...cell })
    this.#changedAt = Date.now()
    return { row: person, answer: { cell: { x: person.x, y: person.y }, leaseMs: leaseTtlSeconds * 1000 } }
  }

  #came({ row, answer }: { row: HumanRow, answer: Answer }): void {
    this.#id = row.id
    this.#key = `human:${row.id}`
    this.#seen = undefined
    this.#movement = new Movement(answer.cell, {
      bounds: () => this.#bounds(), free: (cell, towards) => this.#free(cell, towards),
    }, () => matchMedia('(prefers-reduced-motion: reduce)').matches)
    this.#sender = new CellSender(answer, async (cell) => (await this.#put(cell)).answer, {
      onAnswer: (asked, { cell }) => { if (asked.x !== cell.x || asked.y !== cell.y) this.#moved(cell) },
      onRefused: (cause) => { this.fault.value = faultOf(cause); this.#gone('refused', false) },
      onTrouble: (cause) => { if (cause !== undefined) this.#tell({ text: faultOf(cause).message, wrong: true }) },
    })
    this.stage.value = 'in'
    this.store.sheet.value = undefined
    this.store.own.value = this.#key
    this.keys.value = true
    this.#meet(FIRST)
    this.#ends = [
      effect(() => { if (this.store.time.value === undefined) this.#looked(this.store.directory.value.get(this.#key)) }),
      effect(() => { this.#steer(this.store.time.value !== undefined) }),
      this.store.selected.subscribe(() => { this.#meet() }),
      this.store.listen((event) => { this.#happened(readEvent(event)) }),
      this.#listen(),
    ]
    this.#steer()
    this.#town?.canvas.focus({ preventScroll: true })
    this.announce(text('person.entered'))
  }

  /** Listens to the page being shown again, and being closed. */
  #listen(): () => void {
    const shown = (): void => { if (document.visibilityState === 'visible') this.#sender?.renew(); else this.head({ x: 0, y: 0 }) }
    const left = (): void => {
      const { prefix, service } = placeOf(location.pathname)
      const sid = this.store.now.sid
      // A closed page waits for no answer. If the request is lost, the lease expires.
      void fetch(`${prefix}/api/${service}/person?sid=${encodeURIComponent(sid)}`, { method: 'DELETE', keepalive: true, headers: { 'x-request-id': randomText() } }).catch(() => undefined)
      this.#gone('hidden', false)
    }
    document.addEventListener('visibilitychange', shown)
    addEventListener('pagehide', left)
    return () => { document.removeEventListener('visibilitychange', shown); removeEventListener('pagehide', left) }
  }

  /** Notes the row in the current state of the world. */
  #looked(row: OccupantThing | { readonly kind: 'space' } | undefined): void {
    const before = this.#seen
    if (row?.kind !== 'human') {
      if (before !== undefined) this.#gone('lease', true)
      return
    }
    this.#seen = row
    if (before === undefined) this.#town?.visit([this.#key])
    else if (before.x !== row.x || before.y !== row.y) this.#changed(row)
    this.#meet()
  }

  /** The row has moved: requested by this page, or by another page of the browser. */
  #changed({ x, y }: HumanRow): void {
    const known = this.#sender?.known
    if (known === undefined || this.#movement?.moving === true || (known.x === x && known.y === y)) return
    if (this.#sender?.moved({ x, y }) === true) this.#moved({ x, y })
  }

  /** Moves to the cell of the host, unless the figure is moving meanwhile. */
  #moved(cell: Point): void {
    if (this.#movement === undefined || this.#movement.moving) return
    this.#movement.goTo(cell, performance.now())
    this.#walk()
  }

  #happened(event: ReturnType<typeof readEvent>): void {
    if (event?.kind === 'session:reset') this.#gone('reset', false)
    if (event?.kind !== 'world:person_removed' || event.data.personId !== this.#id) return
    const { reason } = event.data
    if (reason === 'admin') this.#gone('admin', true)
    else if (reason === 'disconnect') this.#gone('elsewhere', false)
    else this.#gone('lease', true)
  }

  /**
   * Handles the end of the figure on the map.
   * @param sure Whether to tell the host as well: a renewal may have been in progress.
   */
  #gone(why: Why, sure: boolean): void {
    if (this.stage.peek() !== 'in') return
    this.#stop()
    this.why.value = why
    this.stage.value = 'gone'
    if (sure) void this.store.client.deletePerson().catch((cause: unknown) => { if (statusOf(cause) === 401) this.why.value = 'refused' })
  }

  #stop(): void {
    for (const end of this.#ends.splice(0)) end()
    clearInterval(this.#walking)
    clearTimeout(this.#meeting)
    clearTimeout(this.#noting)
    this.#walking = undefined
    this.#sender?.end()
    this.#sender = undefined
    this.#movement = undefined
    this.near.value = undefined
    this.note.value = undefined
    this.store.own.value = undefined
    this.#town?.steer(null)
  }

  /** Shows the figure at its position on this page; in the past, at the position of its row. */
  #steer(past = this.store.time.peek() !== undefined): void {
    if (past) this.#movement?.head({ x: 0, y: 0 }, performance.now())
    this.#town?.steer(past || this.#movement === undefined ? null : { key: this.#key, way: this.#movement })
  }

  /** Checks the walk until it ends; then the host gets the cell. */
  #walk(): void {
    this.#steer()
    if (this.#walking !== undefined || this.#movement?.moving !== true) return
    this.#walking = setInterval(() => {
      const movement = this.#movement
      movement?.at(performance.now())
      this.#meet()
      if (movement?.moving === true) return
      clearInterval(this.#walking)
      this.#walking = undefined
      if (movement !== undefined) this.#sender?.put(movement.cell)
    }, LOOK)
  }

  /** Determines the nearest occupant, which is announced after this many milliseconds. */
  #meet(stay = STAY): void {
    const place = this.#movement?.place
    if (place === undefined) return
    const others = this.store.directory.peek().occupants.filter((row) => (row.kind === 'agent' || row.kind === 'human') && row.key !== this.#key)
    // Of several near occupants, the selected one counts.
    const near = nearestTo(place, others.filter(({ key }) => key === this.store.selected.peek()), REACH) ?? nearestTo(place, others, REACH)
    const { key } = this.near.peek() ?? {}
    this.near.value = near
    if (near?.key === key) return
    clearTimeout(this.#meeting)
    if (near !== undefined) this.#meeting = setTimeout(() => { this.announce(text(`person.near.${near.kind === 'agent' ? 'agent' : 'person'}`, { who: nameOf(near) })) }, stay)
  }

  #tell(note: Note): void {
    this.note.value = note
    clearTimeout(this.#noting)
    this.#noting = setTimeout(() => { this.note.value = undefined }, SHOWN)
  }

  #bounds(): { minX: number, minY: number, maxX: number, maxY: number } {
    return this.store.snapshot.peek()?.worldMap.bounds ?? { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  }

  #free(cell: Point, towards: Point): Point {
    const taken = new Set(this.store.directory.peek().occupants.flatMap(({ key, x, y }) => key === this.#key ? [] : `${Math.round(x)} ${Math.round(y)}`))
    return freeCell(cell, towards, this.#bounds(), ({ x, y }) => taken.has(`${x} ${y}`))
  }
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => { setTimeout(resolve, ms) })
}
