import { PlayError, UnreachableError } from './errors.js'

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

/* eslint-disable no-console -- what no function of the program takes is printed, as platforms do with errors that nothing catches */

/**
 * Reports an error to a program. Without a function for it, it is printed: a refusal or a lost connection as its
 * sentence, any other with its stack. What the function throws is dropped.
 */
export function reportTo(callback: ((error: Error) => unknown) | undefined, error: Error): void {
  if (callback !== undefined) callBack(callback, () => undefined, error)
  else if (error instanceof PlayError || error instanceof UnreachableError) console.warn(`playctl: ${error.message}`)
  else console.warn('playctl:', error)
}

/** Passes a warning to a program, or prints it if the program has no function for it. What the function throws is dropped. */
export function warnTo(callback: ((text: string) => unknown) | undefined, text: string): void {
  if (callback === undefined) console.warn(`playctl: ${text}`)
  else callBack(callback, () => undefined, text)
}
