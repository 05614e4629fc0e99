import type { Retry } from './options.js'

/** Doubles a time the given number of times, limits it, and makes half of it random, in milliseconds. */
export function backoff(baseMs: number, limitMs: number, doublings: number): number {
  const whole = Math.min(baseMs * 2 ** Math.min(doublings, 30), limitMs)
  return whole / 2 + (Math.random() * whole) / 2
}

/**
 * Returns the time before the next retry after a number of failed attempts;
 * undefined if the host requests a longer time than a caller waits.
 */
export function retryWait(retry: Retry, failed: number, askedMs: number): number | undefined {
  const own = backoff(retry.baseMs, retry.maxMs, failed - 1)
  if (askedMs <= own) return own
  return askedMs <= retry.maxMs ? askedMs : undefined
}

/** The longest time of a timer, about 24 days: a longer time, such as `Infinity`, counts as 1 ms. */
export const longestTimer = 2 ** 31 - 1

/** Sets a timer for a time that may come from a program. */
export function setTimer(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  return setTimeout(callback, Math.min(ms, longestTimer))
}

/** Waits; rejects with the signal's reason when that ends first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const timer = setTimer(() => {
      undo()
      resolve()
    }, ms)
    const undo = whenEnded(signal, () => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    })
  })
}

/** The callbacks for the end of a signal, and the one listener that calls them all. */
interface Waiting {
  readonly ended: Set<() => void>
  readonly listener: () => void
}

/** The waiting callbacks of each signal. All calls of a world wait for its end, and Node warns about signals with more than ten listeners. */
const waiting = new WeakMap<AbortSignal, Waiting>()

/** Calls a function when a signal ends, immediately if it has. The returned function undoes that. */
export function whenEnded(signal: AbortSignal | undefined, ended: () => void): () => void {
  if (signal === undefined) return () => undefined
  if (signal.aborted) {
    ended()
    return () => undefined
  }
  const those = waiting.get(signal) ?? listening(signal)
  // A new function for each call, so that the same callback can wait twice.
  const callback = () => { ended() }
  those.ended.add(callback)
  return () => {
    if (!those.ended.delete(callback) || those.ended.size > 0) return
    signal.removeEventListener('abort', those.listener)
    waiting.delete(signal)
  }
}

function listening(signal: AbortSignal): Waiting {
  const ended = new Set<() => void>()
  const listener = () => {
    waiting.delete(signal)
    for (const callback of ended) callback()
  }
  signal.addEventListener('abort', listener, { once: true })
  const those = { ended, listener }
  waiting.set(signal, those)
  return those
}

/** Aborts a controller when one of the signals ends, with its reason. The returned function undoes that. */
export function linked(ending: AbortController, ...signals: readonly (AbortSignal | undefined)[]): () => void {
  const undo = signals.map((signal) => whenEnded(signal, () => { ending.abort(reasonOf(signal)) }))
  return () => { for (const end of undo) end() }
}

/** Waits for a promise; rejects with the signal's reason when that ends first. */
export async function unlessEnded<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const undo = whenEnded(signal, () => { reject(reasonOf(signal)) })
    promise.then(resolve, reject).finally(undo)
  })
}

/** Returns the reason of a signal as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the call was ended')
}

/** Returns an unguessable random text: 128 bits as 32 hex digits. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
