import type { Json } from '../src/index.js'

/** Returns numbers from 0 to 1, the same ones for a seed in every run. */
export type Random = () => number

/** Returns the generator for a seed (Mulberry32). */
export function random(seed: number): Random {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns an integer from 0 to below a limit. */
export function below(next: Random, limit: number): number {
  return Math.floor(next() * limit)
}

/** Returns one of the given values. */
export function oneOf<T>(next: Random, ...things: readonly T[]): T {
  return things[below(next, things.length)] as T
}

const points = [0x20, 0x41, 0x22, 0x5c, 0x2f, 0, 0x1f, 0x7f, 0xe4, 0x2028, 0xffff, 0xe000, 0xd7ff, 0x1f600, 0x10ffff]

/** Returns a short text of characters that programs often handle wrongly. */
export function someText(next: Random): string {
  return Array.from({ length: below(next, 6) }, () => String.fromCodePoint(oneOf(next, ...points))).join('')
}

/** Returns a JSON value. */
export function someJson(next: Random, depth = 0): Json {
  const kind = below(next, depth > 3 ? 4 : 6)
  if (kind === 0) return oneOf(next, null, true, false)
  if (kind === 1) return someText(next)
  if (kind < 4) return someNumber(next)
  const size = below(next, 4)
  if (kind === 4) return Array.from({ length: size }, () => someJson(next, depth + 1))
  return Object.fromEntries(Array.from({ length: size }, () => [next() < 0.2 ? '__proto__' : someText(next), someJson(next, depth + 1)]))
}

const bits = new DataView(new ArrayBuffer(8))

/** Returns a finite number: one that programs write in different forms, or one from random bits. */
export function someNumber(next: Random): number {
  if (next() < 0.5) return oneOf(next, 0, -0, 1, -1.5, 1e21, 1e-7, 123456789012345680000, 5e-324, 1.7976931348623157e308)
  bits.setUint32(0, below(next, 2 ** 32))
  bits.setUint32(4, below(next, 2 ** 32))
  const number = bits.getFloat64(0)
  return Number.isFinite(number) ? number : 0
}

/** Returns a number's text in one of the forms that programs write. */
function numberText(next: Random): string {
  const number = someNumber(next)
  return oneOf(next, String(number), number.toExponential(below(next, 20)), `${number}`.replace('e', 'E'), `${below(next, 10)}${'7'.repeat(below(next, 400))}`,
    `${below(next, 100)}.${'0'.repeat(below(next, 30))}5e${below(next, 700) - 350}`)
}

/** Returns a JSON text in a form that is not canonical, and sometimes not valid. */
export function someJsonText(next: Random): string {
  const plain = JSON.stringify(someJson(next), undefined, below(next, 3))
    .replaceAll(/(?<=[[:,] ?)-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gu, (text) => (next() < 0.5 ? numberText(next) : text))
    .replaceAll(/[A-Za-zä]/gu, (letter) => (next() < 0.1 ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : letter))
  return next() < 0.6 ? plain : damaged(next, plain)
}

/** Returns a text with one character changed, by whole characters, so that it stays well-formed Unicode. */
export function damaged(next: Random, text: string): string {
  const characters = Array.from(text)
  const junk = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'x', '\n', '\u00a0', '\u0001', '\\ud800', '\\udc00', '\\ud83d\\ude00', 'null']
  characters.splice(below(next, characters.length + 1), below(next, 3), ...(next() < 0.6 ? [oneOf(next, ...junk)] : []))
  return characters.join('')
}
