import { setTimer } from '../http/wait.js'
import type { Signal, Stream } from '../stream/stream.js'

/**
 * Hands a stream's signals to the one who follows it, one at a time: what is
 * not taken yet stays in the network. Beside them it wakes the follower when
 * one of its alarms is due or the subscription ends.
 *
 * It has one waiter and keeps no promise for long, so that waiting for hours
 * does not gather memory, as racing long-lived promises would.
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

  /** Takes the signal that waits; undefined if none does. */
  take(): Signal | undefined {
    const signal = this.#signal
    this.#signal = undefined
    if (signal !== undefined) this.#taken?.()
    return signal
  }

  /** Lets a pump end that waits for its signal to be taken. */
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

  /** Waits until there is a reason to look. */
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

/** A time that may be set and cleared at will by its one owner. */
export class Alarm {
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = false

  constructor(readonly inbox: Inbox) {}

  /** Sets the time again. */
  set(ms: number): void {
    this.clear()
    this.#timer = setTimer(() => {
      this.#due = true
      this.inbox.wake()
    }, ms)
  }

  /** Clears the time. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#due = false
  }

  /** Whether it is set, due or not. */
  get armed(): boolean {
    return this.#timer !== undefined
  }

  /** Reports once that the time has come. */
  rings(): boolean {
    if (!this.#due) return false
    this.clear()
    return true
  }
}
