import { callBack } from '../protocol/callback.js'
import { UnreachableError } from '../protocol/errors.js'
import type { Capability, SessionReply } from '../protocol/contract.js'
import { unlessEnded } from './wait.js'

/** A fetch of the session that others wait for, and how often it is tried. */
interface Fetch {
  readonly attempts: number
  /** The session, or an error if the host cannot be reached; undefined if the fetch failed for a reason that applies only to its caller. */
  readonly outcome: Promise<string | UnreachableError | undefined>
}

/** The state that all clients of one host share: the last known session, and the rev of their last write. */
export class Session {
  /** The session to use; undefined when it has to be fetched. */
  sid: string | undefined
  #last: string | undefined
  #capabilities: ReadonlySet<string> | undefined
  #fetching: Fetch | undefined
  /** The highest rev in a reply to a write, a refusal included. */
  written = 0

  constructor(readonly onChange: ((sid: string) => void) | undefined) {}

  /** Applies a session reply. After a change of session, the rev of the last write is no longer valid. */
  adopt(reply: SessionReply): void {
    const changed = this.#last !== undefined && this.#last !== reply.sid
    if (changed) this.written = 0
    this.sid = this.#last = reply.sid
    this.#capabilities = new Set(reply.capabilities ?? [])
    if (changed) callBack(this.onChange, () => undefined, reply.sid)
  }

  /** Drops a session that the host refused, unless it was replaced since. */
  forget(sid: string): void {
    if (this.sid === sid) this.sid = undefined
  }

  /** Reports whether the host stated a capability; undefined while nothing is known. */
  has(capability: Capability): boolean | undefined {
    return this.#capabilities?.has(capability)
  }

  /**
   * Returns the session, and fetches it if there is none, once for all callers that
   * wait. If that fails because of who fetched it, by other credentials, less
   * patience or an end of theirs, the next one tries for itself.
   */
  async get(fetchSession: () => Promise<SessionReply>, attempts: number, signal?: AbortSignal): Promise<string> {
    while (this.sid === undefined && this.#fetching !== undefined) {
      const other = this.#fetching
      const outcome = await unlessEnded(other.outcome, signal)
      if (typeof outcome === 'string') return outcome
      if (outcome !== undefined && other.attempts >= attempts) throw outcome
    }
    if (this.sid !== undefined) return this.sid
    const fetched = fetchSession()
    const outcome = fetched.then(({ sid }) => sid, (error: unknown) => (error instanceof UnreachableError ? error : undefined))
      .finally(() => { this.#fetching = undefined })
    this.#fetching = { attempts, outcome }
    return (await fetched).sid
  }
}
