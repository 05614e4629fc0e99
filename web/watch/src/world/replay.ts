import type { Entry } from '../feed/entry.js'
import type { Happening } from './events.js'

/** Takes an event of the past with what it says, and nothing when another moment is shown. */
type Player = (event: Happening | undefined, entry?: Entry) => void

/** What is played of the past, and who said what last in it. */
export class Replay {
  readonly #players = new Set<Player>()
  readonly #lines = new Map<string, Entry>()

  /** Calls a function for each event that is played; returns what ends that. */
  listen(player: Player): () => void {
    this.#players.add(player)
    return () => { this.#players.delete(player) }
  }

  play(event: Happening, entry: Entry): void {
    if (entry.group === 'speech') this.#lines.set(entry.key, entry)
    for (const player of this.#players) player(event, entry)
  }

  /** Forgets what was said, as another moment is shown. */
  hush(): void {
    this.#lines.clear()
    for (const player of this.#players) player(undefined)
  }

  /** The last line of somebody, as far as it was played. */
  lineOf(key: string): Entry | undefined { return this.#lines.get(key) }
}
