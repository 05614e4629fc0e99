/** A value that was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/**
 * Calls a function of the program that uses this package. What it throws, and
 * what the promise of an asynchronous one rejects with, goes to `failed` and ends
 * nothing here. Nobody waits for that promise.
 */
export function callBack<A extends readonly unknown[]>(callback: ((...args: A) => unknown) | undefined, failed: (error: Error) => void, ...args: A): void {
  if (callback === undefined) return
  try {
    const outcome = callback(...args)
    if (outcome instanceof Promise) outcome.catch((error: unknown) => { failed(asError(error)) })
  } catch (error) {
    failed(asError(error))
  }
}

/** Reports an error to a program. What its function throws is dropped. */
export function reportTo(callback: ((error: Error) => unknown) | undefined, error: Error): void {
  callBack(callback, () => undefined, error)
}
