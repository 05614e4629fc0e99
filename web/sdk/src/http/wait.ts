import type { Retry } from './options.js'

/** Doubles a time a number of times, bounds it, and makes half of it random, in milliseconds. */
export function backoff(baseMs: number, limitMs: number, doublings: number): number {
  const whole = Math.min(baseMs * 2 ** Math.min(doublings, 30), limitMs)
  return whole / 2 + (Math.random() * whole) / 2
}

/**
 * The time before the repeat that follows a number of failed attempts;
 * undefined where the host asks for a longer one than a caller waits.
 */
export function retryWait(retry: Retry, failed: number, askedMs: number): number | undefined {
  const own = backoff(retry.baseMs, retry.maxMs, failed - 1)
  if (askedMs <= own) return own
  return askedMs <= retry.maxMs ? askedMs : undefined
}

/** Waits; rejects with the signal's reason when that ends first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', ended)
      resolve()
    }, ms)
    signal?.addEventListener('abort', ended, { once: true })
  })
}

/** Lets signals end a controller, with their reasons. The function that is given undoes that. */
export function linked(ending: AbortController, ...signals: readonly (AbortSignal | undefined)[]): () => void {
  const undo = signals.map((signal) => {
    const ended = () => { ending.abort(reasonOf(signal)) }
    if (signal?.aborted === true) ended()
    signal?.addEventListener('abort', ended, { once: true })
    return () => { signal?.removeEventListener('abort', ended) }
  })
  return () => { for (const end of undo) end() }
}

/** Why a signal ended, as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('the call was ended')
}

/** Random text that nobody guesses: 128 bits as 32 hex digits. */
export function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
