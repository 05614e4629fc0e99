import { asArray, asObject, type Json, type JsonObject } from '@playctl/sdk'
import { text } from '../text/text.js'
import { formats, matches, wholeTimeOf } from './formats.js'
import type { Field } from './schema.js'

/** The input, by the field's name. */
export type Inputs = ReadonlyMap<string, string>

/** The arguments of a call, or the errors in the input. */
export type Reading =
  | { readonly args: JsonObject }
  | { readonly errors: ReadonlyMap<string, string> }

/** A value, or its error; neither if nothing was entered. */
interface Value {
  readonly value?: Json
  readonly error?: string
}

/** Parses the input of a form. An empty optional field is omitted, or null if it must not be omitted. */
export function readArgs(fields: readonly Field[], inputs: Inputs): Reading {
  const args: [string, Json][] = []
  const errors = new Map<string, string>()
  for (const field of fields) {
    const { value, error } = readField(field, inputs.get(field.name) ?? '')
    if (error !== undefined) {
      errors.set(field.name, error)
    } else if (value !== undefined) {
      args.push([field.name, value])
    }
  }
  return errors.size > 0 ? { errors } : { args: Object.fromEntries(args) }
}

/** Parses arguments entered as JSON; the error has the empty name. */
export function readJsonArgs(input: string): Reading {
  const { value, error } = readJson(input.trim() === '' ? '{}' : input)
  if (error !== undefined) {
    return { errors: new Map([['', error]]) }
  }
  const args = asObject(value)
  return args !== undefined ? { args } : { errors: new Map([['', text('field.notObject')]]) }
}

function readField(field: Field, input: string): Value {
  if (input.trim() === '') {
    return field.required ? { error: text('field.missing') } : field.nullable ? { value: null } : {}
  }
  switch (field.type) {
    case 'string': return readText(field, input)
    case 'date': return readText({ ...field, format: 'date' }, input.trim())
    case 'time': return readText({ ...field, format: 'time' }, wholeTimeOf(input.trim()))
    case 'date-time': return readTime(input)
    case 'number': case 'integer': return readNumber(field, input.trim())
    case 'any': {
      const read = readJson(input)
      return read.error === undefined ? read : { value: input }
    }
    case 'boolean': case 'choice': return readJson(input)
    case 'object': {
      const read = readJson(input)
      return read.error !== undefined || asObject(read.value) !== undefined ? read : { error: text('field.notObject') }
    }
    case 'array': case 'choices': {
      const read = readJson(input)
      if (read.error !== undefined) return read
      const list = asArray(read.value)
      return list === undefined ? { error: text('field.notArray') } : readList(field, list)
    }
  }
}

function readText(field: Field, input: string): Value {
  const length = Array.from(input).length
  if (field.minLength !== undefined && length < field.minLength) {
    return { error: text('field.tooShort', { count: field.minLength }) }
  }
  if (field.maxLength !== undefined && length > field.maxLength) {
    return { error: text('field.tooLong', { count: field.maxLength }) }
  }
  const format = Object.hasOwn(formats, field.format) ? formats[field.format] : undefined
  if (format !== undefined && !format.fits(input)) {
    return { error: text('field.notFormat', { format: field.format, example: format.example }) }
  }
  return matches(input, field.pattern) ? { value: input } : { error: text('field.notPattern', { pattern: field.pattern }) }
}

function readList(field: Field, value: readonly Json[]): Value {
  if (field.minItems !== undefined && value.length < field.minItems) {
    return { error: text('field.tooSmall', { limit: field.minItems }) }
  }
  return field.maxItems !== undefined && value.length > field.maxItems ? { error: text('field.tooLarge', { limit: field.maxItems }) } : { value }
}

/** Converts a time of this browser's zone to RFC 3339. */
function readTime(input: string): Value {
  const at = Date.parse(input)
  return Number.isNaN(at) ? { error: text('field.notFormat', { format: 'date-time', example: '2026-05-06T19:30' }) } : { value: new Date(at).toISOString() }
}

function readNumber(field: Field, input: string): Value {
  const value = Number(input)
  if (!Number.isFinite(value)) {
    return { error: text('field.notNumber') }
  }
  if (field.type === 'integer' && !Number.isInteger(value)) {
    return { error: text('field.notInteger') }
  }
  if (field.minimum !== undefined && value < field.minimum) {
    return { error: text('field.tooSmall', { limit: field.minimum }) }
  }
  if (field.maximum !== undefined && value > field.maximum) {
    return { error: text('field.tooLarge', { limit: field.maximum }) }
  }
  if (field.above !== undefined && value <= field.above) return { error: text('field.tooSmallOrEqual', { limit: field.above }) }
  if (field.below !== undefined && value >= field.below) return { error: text('field.tooLargeOrEqual', { limit: field.below }) }
  // A quotient such as 0.3 / 0.1 is rounded.
  const times = field.multipleOf === undefined ? 0 : value / field.multipleOf
  if (field.multipleOf !== undefined && Math.abs(times - Math.round(times)) > 1e-9) return { error: text('field.notStep', { limit: field.multipleOf }) }
  return { value }
}

function readJson(input: string): Value {
  try {
    return { value: JSON.parse(input) as Json }
  } catch {
    return { error: text('field.notJson') }
  }
}
