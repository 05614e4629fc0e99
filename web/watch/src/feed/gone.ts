import { PlayError, type WorldClient } from '@playctl/sdk'
import type { FeedLog } from './log.js'
import { namesIn, type Then } from './then.js'

/** Names those who have left and came before the happenings that are read, for which these have an id only. */
export class Gone {
  /** The revs whose maps the host was asked for. */
  readonly #asked = new Set<number>()

  /** @param named Called when somebody may have got a name. */
  constructor(private readonly client: WorldClient, private readonly feed: FeedLog, private readonly named: () => void) {}

  /** Takes the names from the map of a rev. Who left after it was there. */
  async nameAt(rev: number, then?: Then): Promise<void> {
    if (this.#asked.has(rev)) return
    this.#asked.add(rev)
    try {
      const names = namesIn((await this.client.pastWorld(rev)).snapshot)
      then?.know(names)
      this.feed.nameUnknown(names)
      this.named()
    } catch (cause) {
      // A host that keeps no such map leaves them with their ids; one that was silent is asked again.
      if (!(cause instanceof PlayError)) this.#asked.delete(rev)
    }
  }
}
