import type { WorldClient } from '../http/client.js'
import { backoff, linked, setTimer } from '../http/wait.js'
import { asNumber, defined } from '../json/read.js'
import { PlayError, TimeoutError, hasCode } from '../protocol/errors.js'
import { type HeartbeatReply, type RegisterReply, type RegisterRequest, limits } from '../protocol/contract.js'

/** The lease is renewed after a third of its term, so that two heartbeats may be lost. */
const signsPerTerm = 3
const firstRepairMs = 1000
const longestRepairMs = 15_000

/** Keeps one agent on the map: renews its lease, and registers it again when the host no longer knows it. */
export class Lease {
  registration: RegisterReply
  readonly #leaving = new AbortController()
  #kept: Promise<void> = Promise.resolve()
  #again = false
  #wake: (() => void) | undefined
  /** How long the host keeps the agent without a heartbeat, in seconds. */
  #term: number = limits.defaultLeaseTtlSeconds
  #request: RegisterRequest

  constructor(
    readonly client: WorldClient,
    request: RegisterRequest,
    registration: RegisterReply,
    readonly report: { warn: (text: string) => void; lost: (error: Error) => void; registered: () => void },
  ) {
    this.#request = request
    this.registration = registration
    this.#granted(registration.leaseTtlSeconds)
  }

  /** The agent's registration request. */
  get request(): RegisterRequest {
    return this.#request
  }

  /** Makes the agent register again with another row. */
  change(request: RegisterRequest): void {
    this.#request = request
    this.renew()
  }

  /** Starts the heartbeats. */
  start(): void {
    this.#kept = this.#keep()
  }

  /** Makes the agent register again, as in a new session. */
  renew(): void {
    this.#again = true
    this.#wake?.()
  }

  /** Ends the heartbeats and waits for the one in progress. */
  async stop(): Promise<void> {
    this.#leaving.abort(new Error('the agent left'))
    this.#wake?.()
    await this.#kept
  }

  async #keep(): Promise<void> {
    let failures = 0
    let again = false
    for (;;) {
      // A failed registration stays due.
      again = (await this.#wait(failures)) || again
      if (this.#leaving.signal.aborted) return
      try {
        await this.#sign(again)
        failures = 0
        again = false
      } catch (error) {
        if (this.#over()) return
        if (isFinal(error)) {
          this.report.lost(error)
          return
        }
        if (failures === 0) this.report.warn(`the lease of the agent ${this.request.agentId} could not be renewed; trying again`)
        failures++
      }
    }
  }

  #over(): boolean {
    return this.#leaving.signal.aborted
  }

  /** Waits for the next heartbeat, and reports whether the agent must register again. */
  async #wait(failures: number): Promise<boolean> {
    const leased = this.request.connectionId !== undefined
    const ms = failures > 0 ? backoff(firstRepairMs, longestRepairMs, failures - 1) : (this.#term * 1000) / signsPerTerm
    if (!this.#again && !this.#over()) {
      await new Promise<void>((resolve) => {
        const timer = leased || failures > 0 ? setTimeout(resolve, ms) : undefined
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    const again = this.#again
    this.#again = false
    return again
  }

  async #sign(again: boolean): Promise<void> {
    const { connectionId } = this.request
    if (!again && connectionId !== undefined) {
      try {
        this.#granted((await this.#heartbeat(connectionId)).leaseTtlSeconds, this.#term)
        return
      } catch (error) {
        if (!hasCode(error, 'lease_unknown', 'player_unknown')) throw error
      }
    }
    this.registration = await this.client.register(this.request, { signal: this.#leaving.signal })
    this.#granted(this.registration.leaseTtlSeconds)
    this.report.registered()
  }

  /** Renews the lease. Without an answer the call ends when the next heartbeat is due, while the lease lasts. */
  async #heartbeat(connectionId: string): Promise<HeartbeatReply> {
    const { agentId: playerId, leaseTtlSeconds } = this.request
    const limited = new AbortController()
    const unlink = linked(limited, this.#leaving.signal)
    const timer = setTimer(() => { limited.abort(new TimeoutError(this.client.transport.host)) }, (this.#term * 1000) / signsPerTerm)
    try {
      return await this.client.heartbeat(defined({ playerId, connectionId, leaseTtlSeconds }), { signal: limited.signal })
    } finally {
      clearTimeout(timer)
      unlink()
    }
  }

  /** Sets the term that the host grants: an invalid one is replaced by `otherwise`, and one below 1 s, which would flood the network, by 1 s. */
  #granted(seconds: unknown, otherwise: number = limits.defaultLeaseTtlSeconds): void {
    const term = asNumber(seconds) ?? 0
    this.#term = term > 0 ? Math.max(term, 1) : otherwise
  }
}

/** Reports whether a host refuses the caller permanently, and not only the session of the call. */
export function isFinal(error: unknown): error is PlayError {
  return error instanceof PlayError && (error.status === 401 || error.status === 403) && error.code !== 'sid_invalid'
}
