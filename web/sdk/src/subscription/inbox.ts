import { setTimer } from '../http/wait.js'
import type { Signal, Stream } from '../stream/stream.js'

/**
 * Passes a stream's signals to its follower, one at a time: data that is not
 * read yet stays in the network's buffers. It also wakes the follower when one of
 * its alarms is due or the subscription ends.
 *
 * It has one waiter and keeps no promise for long, so memory does not grow during
 * a long wait, as it would with a race of long-lived promises.
 */
export class Inbox {
  #signal: Signal | undefined
  #taken: (() => void) | undefined
  #wake: (() => void) | undefined
  #woken = false
  #released = false

  /** Reads the stream until it ends. */
  async pump(stream: Stream): Promise<void> {
    for (;;) {
      const signal = await stream.next()
      if (signal === undefined || this.#released) return
      this.#signal = signal
      this.wake()
      await new Promise<void>((resolve) => {
        this.#taken = resolve
      })
    }
  }

  /** Removes and returns the pending signal; undefined if there is none. */
  take(): Signal | undefined {
    const signal = this.#signal
    this.#signal = undefined
    if (signal !== undefined) this.#taken?.()
    return signal
  }

  /** Ends a pump that waits for its signal to be taken. */
  release(): void {
    this.#released = true
    this.#signal = undefined
    this.#taken?.()
    this.wake()
  }

  /** Wakes the follower. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** Waits until the follower is woken. */
  async wait(): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    this.#woken = false
  }
}

/** A timer that its owner may set and clear at any time. */
export class Alarm {
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = false

  constructor(readonly inbox: Inbox) {}

  /** Sets the timer; an earlier setting is cleared. */
  set(ms: number): void {
    this.clear()
    this.#timer = setTimer(() => {
      this.#due = true
      this.inbox.wake()
    }, ms)
  }

  /** Clears the timer. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#due = false
  }

  /** Whether the timer is set, due or not. */
  get armed(): boolean {
    return this.#timer !== undefined
  }

  /** Reports whether the timer is due, and clears it if it is. */
  rings(): boolean {
    if (!this.#due) return false
    this.clear()
    return true
  }
}
