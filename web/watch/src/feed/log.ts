import { Ring } from './ring.js'
import { everything, passes, type Filter } from './filter.js'
import type { Entry } from './entry.js'
import type { Named } from './then.js'

/** The number of entries kept. */
export const kept = 10_000
/** The number of newest entries that are searched for the last one of a thing. */
const lookedAt = 2000

/** Returns the name of an id at the time. */
type NameOf = (id: string) => Named | undefined

/** Reports whether only the id of an entry's subject is known. */
export const isUnknown = (entry: Entry): entry is Entry & { readonly unsure: string } => entry.key === '' && entry.unsure !== undefined

/**
 * The newest entries, and those that pass the filter. Adding an event costs the
 * same however many there are, and a further part of an answer costs a search of
 * the newest ones; only a new filter looks at all.
 */
export class FeedLog {
  private readonly all: Ring<Entry>
  private shown: Ring<Entry>
  private current: Filter = everything

  constructor(limit = kept) {
    this.all = new Ring(limit)
    this.shown = new Ring(limit)
  }

  get size(): number { return this.all.length }
  get matching(): number { return this.shown.length }
  get filter(): Filter { return this.current }

  add(entry: Entry): void {
    const oldest = this.all.push(entry)
    if (oldest !== undefined && this.shown.at(0) === oldest) {
      this.shown.shift()
    }
    if (passes(entry, this.current)) {
      this.shown.push(entry)
    }
  }

  /** Updates the entry of an answer with its text so far; false if it is not among the newest. */
  append({ request, text }: Entry): boolean {
    if (request === undefined) return false
    for (let place = this.all.length - 1; place >= Math.max(0, this.all.length - lookedAt); place -= 1) {
      const known = this.all.at(place)
      if (known?.request !== request) continue
      const after = { ...known, text }
      this.all.replace(known, after)
      if (!this.shown.replace(known, after) && passes(after, this.current)) this.refilter(this.current)
      return true
    }
    return false
  }

  /** Adds entries before the oldest one, in order of time, as far as there is room, and names by the events before them. */
  prepend(entries: readonly Entry[], nameOf: NameOf): void {
    this.replaceAll((entry) => {
      const then = entry.unsure === undefined ? undefined : nameOf(entry.unsure)
      if (then === undefined) return entry
      const { unsure: _known, ...rest } = entry
      return { ...rest, ...then }
    })
    for (const entry of [...entries].reverse()) if (!this.all.unshift(entry)) break
    this.refilter(this.current)
  }

  /** Names the entries of which only an id is known. */
  nameUnknown(nameOf: NameOf): void {
    this.replaceAll((entry) => isUnknown(entry) ? { ...entry, ...nameOf(entry.unsure) } : entry)
    this.refilter(this.current)
  }

  private replaceAll(by: (entry: Entry) => Entry): void {
    const all = [...this.all].map(by)
    this.all.clear()
    for (const entry of all) this.all.push(entry)
  }

  refilter(filter: Filter): void {
    this.current = filter
    this.shown = new Ring(this.all.limit)
    for (const entry of this.all) {
      if (passes(entry, filter)) {
        this.shown.push(entry)
      }
    }
  }

  /** Returns the entry at a place from the newest, which is 0; entries newer than a serial are skipped. */
  newest(place: number, upTo = Infinity): Entry | undefined {
    return this.shown.at(this.shown.length - 1 - this.newerThan(upTo) - place)
  }

  /** Returns the place from the newest of the last entry not after a seq; -1 if there is none. */
  placeOf(seq: number): number {
    for (let place = 0; place < this.shown.length; place += 1) {
      const entry = this.newest(place)
      if (entry?.seq !== undefined && entry.seq <= seq) return place
    }
    return -1
  }

  /** Returns the place from the newest of the entry with a serial; -1 if it is not shown. */
  placeOfSerial(serial: number, upTo = Infinity): number {
    const place = this.newerThan(serial) - this.newerThan(upTo)
    return this.newest(place, upTo)?.serial === serial ? place : -1
  }

  /** Returns the last entry of a thing up to a seq, among the newest entries. */
  lastOf(key: string, upTo = Infinity, group?: Entry['group']): Entry | undefined {
    for (let place = this.all.length - 1; place >= Math.max(0, this.all.length - lookedAt); place -= 1) {
      const entry = this.all.at(place)
      if (entry?.key === key && (group === undefined || entry.group === group) && (entry.seq ?? Infinity) <= upTo) return entry
    }
    return undefined
  }

  /** Returns how many shown entries are newer than a serial. */
  newerThan(serial: number): number {
    let low = 0
    let high = this.shown.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.shown.at(middle)?.serial ?? 0) > serial) high = middle
      else low = middle + 1
    }
    return this.shown.length - low
  }
}
