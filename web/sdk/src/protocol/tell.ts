/** A value that was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/**
 * Calls a function of the program that uses this package. What it throws, and
 * what the promise of an asynchronous one rejects with, goes to `failed`: it is
 * the program's to know and ends nothing here. Nobody waits for that promise.
 */
export function tell<A extends readonly unknown[]>(told: ((...args: A) => unknown) | undefined, failed: (error: Error) => void, ...args: A): void {
  if (told === undefined) return
  try {
    const outcome = told(...args)
    if (outcome instanceof Promise) outcome.catch((error: unknown) => { failed(asError(error)) })
  } catch (error) {
    failed(asError(error))
  }
}

/** Tells a program of an error. What goes wrong meanwhile has nowhere to go and is dropped. */
export function tellError(told: ((error: Error) => unknown) | undefined, error: Error): void {
  tell(told, () => undefined, error)
}
