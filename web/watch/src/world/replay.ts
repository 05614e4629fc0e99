import type { Entry } from '../feed/entry.js'
import type { TimedEvent } from './events.js'

/** Receives a past event with its entry, and nothing when another moment is shown. */
type Player = (event: TimedEvent | undefined, entry?: Entry) => void

/** The events of the past that are played, and the last line of each speaker among them. */
export class Replay {
  readonly #players = new Set<Player>()
  readonly #lines = new Map<string, Entry>()

  /** Calls a function for each played event; returns a function that ends that. */
  listen(player: Player): () => void {
    this.#players.add(player)
    return () => { this.#players.delete(player) }
  }

  play(event: TimedEvent, entry: Entry): void {
    if (entry.group === 'speech') this.#lines.set(entry.key, entry)
    for (const player of this.#players) player(event, entry)
  }

  /** Forgets the lines, when another moment is shown. */
  clear(): void {
    this.#lines.clear()
    for (const player of this.#players) player(undefined)
  }

  /** Returns the last line of an occupant so far in the replay. */
  lineOf(key: string): Entry | undefined { return this.#lines.get(key) }
}
