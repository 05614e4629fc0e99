import type { Json } from '../protocol/contract.js'

/** How deeply arrays and objects may nest. */
export const maxDepth = 512

/** A text that is not JSON in the form that the protocol allows. */
export class JsonError extends SyntaxError {
  override readonly name = 'JsonError'

  /** Creates the error; `at` is the index of the first invalid character. */
  constructor(
    reason: string,
    readonly at: number,
  ) {
    super(`not valid JSON: ${reason} at character ${at}`)
  }
}

// Outside of strings JSON contains only ASCII, so char codes are sufficient.
const quote = 0x22
const backslash = 0x5c
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u
const numberText = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/uy

/**
 * Parses one JSON text. It rejects input that `JSON.parse` accepts and the protocol
 * does not: a duplicate key, a lone surrogate, a number outside the double
 * range, and nesting deeper than 512. A key `__proto__` is an ordinary member.
 */
export function parseJson(text: string): Json {
  return new Reader(text).whole()
}

/** One pass over a text. */
class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  whole(): Json {
    const value = this.#value(0)
    if (!Number.isNaN(this.#peek())) throw this.#wrong('data after the value')
    return value
  }

  #wrong(reason: string, at = this.#at): JsonError {
    return new JsonError(reason, at)
  }

  /** Skips white space and returns the next character's code, NaN at the end. */
  #peek(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
      this.#at++
    }
  }

  #value(depth: number): Json {
    const code = this.#peek()
    switch (code) {
      case 0x7b:
        return this.#object(depth + 1)
      case 0x5b:
        return this.#array(depth + 1)
      case quote:
        return this.#string()
      case 0x74:
        return this.#literal('true', true)
      case 0x66:
        return this.#literal('false', false)
      case 0x6e:
        return this.#literal('null', null)
      default:
        return this.#number(code)
    }
  }

  #literal<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#wrong('no value starts')
    this.#at += word.length
    return value
  }

  #number(code: number): number {
    if (Number.isNaN(code)) throw this.#wrong('the text ends')
    numberText.lastIndex = this.#at
    const found = numberText.exec(this.#text)
    if (found === null) throw this.#wrong('no value starts')
    const value = Number(found[0])
    if (!Number.isFinite(value)) throw this.#wrong('a number outside the double range')
    this.#at = numberText.lastIndex
    return value
  }

  #array(depth: number): Json[] {
    if (depth > maxDepth) throw this.#wrong(`nesting beyond ${maxDepth}`)
    const items: Json[] = []
    this.#at++
    if (this.#peek() === 0x5d) {
      this.#at++
      return items
    }
    for (;;) {
      items.push(this.#value(depth))
      const code = this.#peek()
      this.#at++
      if (code === 0x5d) return items
      if (code !== 0x2c) throw this.#wrong('an array is not closed', this.#at - 1)
    }
  }

  #object(depth: number): Json {
    if (depth > maxDepth) throw this.#wrong(`nesting beyond ${maxDepth}`)
    const members: Record<string, Json> = {}
    this.#at++
    if (this.#peek() === 0x7d) {
      this.#at++
      return members
    }
    for (;;) {
      this.#member(members, depth)
      const code = this.#peek()
      this.#at++
      if (code === 0x7d) return members
      if (code !== 0x2c) throw this.#wrong('an object is not closed', this.#at - 1)
    }
  }

  #member(into: Record<string, Json>, depth: number): void {
    if (this.#peek() !== quote) throw this.#wrong('a key is missing')
    const start = this.#at
    const key = this.#string()
    if (Object.hasOwn(into, key)) throw this.#wrong('an object has a key twice', start)
    if (this.#peek() !== 0x3a) throw this.#wrong('a colon is missing')
    this.#at++
    const value = this.#value(depth)
    if (key === '__proto__') {
      // An assignment would set the prototype.
      Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true })
    } else {
      into[key] = value
    }
  }

  #string(): string {
    const start = this.#at
    let plain = true
    for (this.#at++; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) break
      if (code === backslash) {
        plain = false
        this.#at++
      } else if (Number.isNaN(code)) {
        throw this.#wrong('a string is not closed', start)
      } else if (code < 0x20) {
        throw this.#wrong('a control character stands in a string')
      }
    }
    this.#at++
    const value = plain ? this.#text.slice(start + 1, this.#at - 1) : this.#unescaped(start)
    if (loneSurrogate.test(value)) throw this.#wrong('a lone surrogate', start)
    return value
  }

  /** Returns the string from start to the current position; the platform's own parser decodes its escapes. */
  #unescaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string
    } catch {
      throw this.#wrong('an escape is malformed', start)
    }
  }
}
