/**
 * The newest items, up to a limit, in the order in which they were added.
 * The cost of adding does not depend on their number; dropped items can be garbage-collected.
 */
export class Ring<Item> {
  readonly limit: number
  private readonly slots: (Item | undefined)[]
  private start = 0
  private held = 0

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new RangeError(`a ring holds a whole number of items of at least 1, not ${String(limit)}`)
    }
    this.limit = limit
    this.slots = []
  }

  get length(): number {
    return this.held
  }

  /** Adds an item, and returns the item that it replaces. */
  push(item: Item): Item | undefined {
    if (this.held < this.limit) {
      this.slots[(this.start + this.held) % this.limit] = item
      this.held += 1
      return undefined
    }
    const oldest = this.slots[this.start]
    this.slots[this.start] = item
    this.start = (this.start + 1) % this.limit
    return oldest
  }

  /** Adds an item before the oldest one; false if there is no room. */
  unshift(item: Item): boolean {
    if (this.held >= this.limit) return false
    this.start = (this.start - 1 + this.limit) % this.limit
    this.slots[this.start] = item
    this.held += 1
    return true
  }

  /** Removes and returns the oldest item. */
  shift(): Item | undefined {
    if (this.held === 0) {
      return undefined
    }
    const oldest = this.slots[this.start]
    this.slots[this.start] = undefined
    this.start = (this.start + 1) % this.limit
    this.held -= 1
    return oldest
  }

  /** Returns the item at a position from the oldest, which is 0. */
  at(position: number): Item | undefined {
    return position >= 0 && position < this.held ? this.slots[(this.start + position) % this.limit] : undefined
  }

  /** Replaces an item; false if it is not there. */
  replace(item: Item, by: Item): boolean {
    const slot = this.slots.indexOf(item)
    if (slot < 0) return false
    this.slots[slot] = by
    return true
  }

  /** The items from the oldest to the newest. */
  * [Symbol.iterator](): Generator<Item> {
    for (let position = 0; position < this.held; position += 1) {
      yield this.at(position) as Item
    }
  }

  clear(): void {
    this.slots.length = 0
    this.start = 0
    this.held = 0
  }
}
