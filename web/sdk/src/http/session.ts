import type { Capability, SessionReply } from '../protocol/replies.js'

/** What all clients of one host share: the session they last saw, and how far they have written. */
export class Session {
  /** The session to use; undefined when it has to be fetched. */
  sid: string | undefined
  #last: string | undefined
  #capabilities: ReadonlySet<string> | undefined
  #fetching: Promise<string> | undefined
  /** The highest rev that a write was answered with. */
  written = 0

  constructor(readonly onChange: ((sid: string) => void) | undefined) {}

  /** Takes a session reply. What was written in another session says nothing about the revs of this one. */
  adopt(reply: SessionReply): void {
    const changed = this.#last !== undefined && this.#last !== reply.sid
    if (changed) this.written = 0
    this.sid = this.#last = reply.sid
    this.#capabilities = new Set(reply.capabilities ?? [])
    if (changed) this.onChange?.(reply.sid)
  }

  /** Drops a session that the host refused, unless it was replaced since. */
  forget(sid: string): void {
    if (this.sid === sid) this.sid = undefined
  }

  /** Whether the host stated a capability; undefined while nothing is known. */
  has(capability: Capability): boolean | undefined {
    return this.#capabilities?.has(capability)
  }

  /** Gives the session, and fetches it where there is none, once for all who wait. */
  async get(fetchSession: () => Promise<SessionReply>): Promise<string> {
    if (this.sid !== undefined) return this.sid
    this.#fetching ??= fetchSession()
      .then((reply) => reply.sid)
      .finally(() => {
        this.#fetching = undefined
      })
    return this.#fetching
  }
}
