import { asArray, asBoolean, asNumber, asObject, asText, asTexts, member } from '../json/read.js'
import { type Field, type Json, type JsonObject, rowShapes, shapes } from './contract.js'

/** The name of what a host sends, whose fields the contract describes. */
export type Shape = keyof typeof shapes

const wanted: Readonly<Record<Field['type'], string>> = {
  text: 'a string', number: 'a number', boolean: 'a boolean', json: 'there', object: 'an object', texts: 'a list of strings', objects: 'a list of objects',
}

/** The `kind` of a row by its shape. */
const rowKinds: ReadonlyMap<string, string> = new Map(Object.entries(rowShapes).map(([kind, shape]) => [shape, kind]))

/**
 * Reads an object that nothing is known of: every field has its type in the result. One that
 * is missing or of the wrong type is as good as empty, or left out if it is optional.
 * Fields that the shape does not name are left out.
 */
export function readShape(shape: string, raw: JsonObject | undefined): JsonObject {
  const kind = rowKinds.get(shape)
  const read: Record<string, Json> = kind === undefined ? {} : { kind }
  for (const field of fieldsOf(shape)) {
    const value = valueOf(field, raw) ?? (field.need === 'optional' ? undefined : emptyOf(field))
    if (value !== undefined) read[field.name] = value
  }
  return read
}

/** What an object lacks that its shape must have, as `name must be a string`; undefined if nothing. */
export function lackOf(shape: string, raw: JsonObject): string | undefined {
  for (const field of fieldsOf(shape)) {
    if (field.need !== 'must' && field.need !== 'filled') continue
    const value = valueOf(field, raw)
    const inner = asObject(member(raw, field.name))
    if (value === undefined && field.type === 'object' && field.of !== undefined && inner !== undefined) return `${field.name}.${lackOf(field.of, inner) ?? ''}`
    if (value === undefined) return `${field.name} must be ${wanted[field.type]}${field.words === undefined ? '' : ` of ${field.words.join(', ')}`}`
    if (field.need === 'filled' && value === '') return `${field.name} must be a string that is not empty`
  }
  return undefined
}

function fieldsOf(shape: string): readonly Field[] {
  return shapes[shape as Shape]
}

/** A field's value, undefined if it is missing, of the wrong type or none of its words. */
function valueOf(field: Field, raw: JsonObject | undefined): Json | undefined {
  const value = member(raw, field.name)
  switch (field.type) {
    case 'text':
      return oneOf(field.words, asText(value) ?? (field.older === undefined ? undefined : asText(member(raw, field.older))))
    case 'number':
      return asNumber(value)
    case 'boolean':
      return asBoolean(value)
    case 'json':
      return value
    case 'object':
      return objectOf(field, asObject(value))
    case 'texts':
      return asTexts(value)?.every((text) => oneOf(field.words, text) !== undefined) === true ? value : undefined
    case 'objects':
      // Of a list, what can be read is better than nothing.
      return asArray(value)?.flatMap((item) => objectOf({ ...field, need: 'must' }, asObject(item)) ?? [])
  }
}

function oneOf(words: readonly string[] | undefined, text: string | undefined): string | undefined {
  return text === undefined || words === undefined || words.includes(text) ? text : undefined
}

function objectOf({ of, need }: Field, raw: JsonObject | undefined): JsonObject | undefined {
  if (of === undefined || raw === undefined) return raw
  return need === 'zero' || lackOf(of, raw) === undefined ? readShape(of, raw) : undefined
}

function emptyOf({ type, of, fallback }: Field): Json {
  switch (type) {
    case 'text':
      return fallback ?? ''
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'texts':
    case 'objects':
      return []
    case 'json':
    case 'object':
      return of === undefined ? {} : readShape(of, undefined)
  }
}
