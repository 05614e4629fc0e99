import type { WorldEvent } from '../protocol/events.js'
import { callBack, reportTo } from '../protocol/callback.js'
import type { SubscribeOptions, SubscriptionState, SubscriptionStats, Verification, WorldUpdate } from './types.js'

type Counter = keyof SubscriptionStats

/** Keeps a subscription's state and calls the program's callbacks. */
export class Reporter {
  #state: SubscriptionState = {
    verification: 'unread',
    connected: false,
    stats: { events: 0, merges: 0, verifications: 0, fullReads: 0, mismatches: 0, heals: 0, reconnects: 0, rollbacks: 0 },
  }

  constructor(readonly options: SubscribeOptions) {}

  /** The state of the subscription. */
  get state(): SubscriptionState {
    return this.#state
  }

  /** Adds one to a counter. */
  count(counter: Counter): void {
    const { stats } = this.#state
    this.#state = { ...this.#state, stats: { ...stats, [counter]: stats[counter] + 1 } }
  }

  /** Changes the state, and reports it if the connection, the time of the next attempt or the verification changed. */
  publish(change: Partial<SubscriptionState>): void {
    this.#become({ ...this.#state, ...change })
  }

  #become(state: SubscriptionState): void {
    const before = this.#state
    this.#state = state
    if (before.connected !== state.connected || before.verification !== state.verification || before.retryAt !== state.retryAt) {
      this.#call(this.options.onState, state)
    }
  }

  /** Notes the start of an attempt to connect. */
  connecting(): void {
    const { retryAt: _due, ...rest } = this.#state
    this.#become(rest)
  }

  /** Notes that the stream is open. */
  connected(): void {
    const { lastError: _gone, retryAt: _due, ...rest } = this.#state
    this.#become({ ...rest, connected: true })
  }

  /** Notes that the stream is closed, and the time of the next attempt. */
  lost(retryAt: number, error: Error | undefined): void {
    this.publish({ connected: false, retryAt, ...(error === undefined ? {} : { lastError: error }) })
    if (error !== undefined) this.error(error)
  }

  /** Notes that the subscription has ended. */
  ended(): void {
    const { retryAt: _due, ...rest } = this.#state
    this.#become({ ...rest, connected: false })
  }

  /** Reports an event. */
  event(event: WorldEvent): void {
    this.#call(this.options.onEvent, event)
  }

  /** Reports an event that the copy has applied. */
  checked(event: WorldEvent, verification: Verification): void {
    callBack(this.options.onChecked, (error) => { this.error(error) }, event, verification)
  }

  /** Reports a new state of the copy. */
  update(update: WorldUpdate): void {
    this.#call(this.options.onSnapshot, update)
  }

  /** Reports an error. */
  error(error: Error): void {
    reportTo(this.options.onError, error)
  }

  #call<T>(callback: ((value: T) => unknown) | undefined, value: T): void {
    callBack(callback, (error) => { this.error(error) }, value)
  }
}
