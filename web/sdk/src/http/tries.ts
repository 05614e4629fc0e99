import { PlayError, UnreachableError } from '../protocol/errors.js'
import type { Call } from './call.js'
import type { Transport } from './transport.js'
import { pause, retryWait } from './wait.js'

/** The maximum number of new sessions in which one call is retried. */
const maxSessions = 3

/** Decides whether a failed attempt of one call is retried. */
export class Tries {
  #failed = 0
  #sessions = 0
  /** Whether an attempt may have had an effect. */
  #unknown = false

  constructor(
    readonly transport: Transport,
    readonly call: Call,
    readonly signal: AbortSignal | undefined,
  ) {}

  /**
   * Handles an attempt's error. It waits and returns false if the call is to be
   * retried, returns true if a refusal means that an earlier attempt succeeded,
   * and otherwise throws the error to report.
   */
  async failed(sid: string | undefined, error: unknown): Promise<boolean> {
    const refused = error instanceof PlayError ? error : undefined
    if (refused?.status === 401 && this.#unknown && this.call.gone === true) return true
    if (this.signal?.aborted === true) throw error
    if (refused !== undefined && (await this.#newSession(sid, refused))) return false
    if (!this.#mayRepeat(error)) throw error
    this.#failed++
    const wait = retryWait(this.transport.retry, this.#failed, refused?.retryAfterMs ?? 0)
    if (this.#failed >= this.transport.retry.attempts || wait === undefined) throw error
    await pause(wait, this.signal)
    return false
  }

  /** Whether the session that the call was for is over, and there is another to retry it in immediately. Rejects if none can be fetched. */
  async #newSession(sid: string | undefined, refused: PlayError): Promise<boolean> {
    const { session, service } = this.transport
    let over = sid
    if (this.#sessions >= maxSessions) return false
    if (refused.code === 'behind' && this.call.world === true && this.call.minRev === undefined) {
      // The requested rev may belong to the ended session.
      over = session.sid
    } else if (sid === undefined || (refused.code !== 'sid_invalid' && !(refused.status === 403 && service !== 'play'))) {
      return false
    }
    this.#sessions++
    if (over !== undefined) session.forget(over)
    return (await this.transport.sid(this.signal)) !== over
  }

  #mayRepeat(error: unknown): boolean {
    if (error instanceof UnreachableError) {
      if (!error.sent) return true
    } else if (error instanceof PlayError) {
      if (error.status === 429) return true
      if (error.code === 'repository_off' || error.code === 'record_damaged' || error.status === 501) return false
      if (error.status < 500 && error.status !== 408) return false
    } else {
      return false
    }
    this.#unknown = true
    return this.call.repeat !== 'keyed' || this.transport.session.has('idempotency') !== false
  }
}
