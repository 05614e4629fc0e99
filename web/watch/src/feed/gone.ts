import { PlayError, type WorldClient } from '@playctl/sdk'
import type { FeedLog } from './log.js'
import { namesIn, type Then } from './then.js'

/** Finds the names of occupants that left before this page could see them, for entries that have only an id. */
export class Gone {
  /** The revs whose maps were requested. */
  readonly #asked = new Set<number>()

  /** @param named Called when entries may have got names. */
  constructor(private readonly client: WorldClient, private readonly feed: FeedLog, private readonly named: () => void) {}

  /** Gets names from the map of a rev. Occupants that left after it are in it. */
  async nameAt(rev: number, then?: Then): Promise<void> {
    if (this.#asked.has(rev)) return
    this.#asked.add(rev)
    try {
      const names = namesIn((await this.client.pastWorld(rev)).snapshot)
      then?.know(names)
      this.feed.nameUnknown(names)
      this.named()
    } catch (cause) {
      // Without such a map, the entries keep their ids; a host that did not answer is asked again.
      if (!(cause instanceof PlayError)) this.#asked.delete(rev)
    }
  }
}
