import { PlayError, UnreachableError } from './errors.js'

/** Returns a thrown value as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/**
 * Calls a callback of the program that uses this package. Errors that it throws, or
 * with which its promise rejects, go to `failed` and end nothing here. The promise is
 * not awaited.
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

/* eslint-disable no-console -- what no function of the program takes is printed, as platforms do with errors that nothing catches */

/**
 * Reports an error to a program. Without a callback the error is printed: a refusal or a lost connection only with its
 * message, any other with its stack. Errors that the callback throws are dropped.
 */
export function reportTo(callback: ((error: Error) => unknown) | undefined, error: Error): void {
  if (callback !== undefined) callBack(callback, () => undefined, error)
  else if (error instanceof PlayError || error instanceof UnreachableError) console.warn(`playctl: ${error.message}`)
  else console.warn('playctl:', error)
}

/** Passes a warning to a program, or prints it if there is no callback. Errors that the callback throws are dropped. */
export function warnTo(callback: ((text: string) => unknown) | undefined, text: string): void {
  if (callback === undefined) console.warn(`playctl: ${text}`)
  else callBack(callback, () => undefined, text)
}
