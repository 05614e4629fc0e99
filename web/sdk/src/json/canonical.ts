import type { Json, JsonObject } from '../protocol/contract.js'
import { JsonError, maxDepth } from './parse.js'

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/u
/** Matches texts without a character that needs an escape or a check for surrogates. */
const plainText = /^[ !#-[\]-~]*$/u

/**
 * Writes a value as canonical JSON (RFC 8785): keys sorted by UTF-16 code units,
 * ECMAScript number text, minimal escapes. A value without such a form, as a
 * lone surrogate or NaN, is a `JsonError`; members that are `undefined` are omitted.
 */
export function canonicalJson(value: Json): string {
  return write(value, 0)
}

function write(value: Json, depth: number): string {
  switch (typeof value) {
    case 'string':
      return text(value)
    case 'number':
      if (!Number.isFinite(value)) throw new JsonError(`${value} has no form`, 0)
      // ECMAScript's own text; -0 becomes 0, as RFC 8785 requires.
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      break
    default:
      throw new JsonError(`a ${typeof value} has no form`, 0)
  }
  if (value === null) return 'null'
  if (depth >= maxDepth) throw new JsonError(`nesting beyond ${maxDepth}`, 0)
  return isArray(value) ? array(value, depth + 1) : object(value, depth + 1)
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function array(items: readonly Json[], depth: number): string {
  let out = '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ','
    out += write(items[i] ?? null, depth)
  }
  return out + ']'
}

function object(members: JsonObject, depth: number): string {
  let out = '{'
  // The default order of sort is by UTF-16 code units.
  for (const key of Object.keys(members).sort()) {
    const value = members[key]
    if (value === undefined) continue
    if (out.length > 1) out += ','
    out += `${text(key)}:${write(value, depth)}`
  }
  return out + '}'
}

function text(value: string): string {
  if (plainText.test(value)) return `"${value}"`
  if (loneSurrogate.test(value)) throw new JsonError('a lone surrogate has no form', 0)
  return JSON.stringify(value)
}
