import { asArray, asBoolean, asNumber, asObject, asText, asTexts, member } from '../json/read.js'
import { type Field, type Json, type JsonObject, rowShapes, shapes } from './contract.js'

/** The name of an object that a host sends, whose fields the contract describes. */
export type Shape = keyof typeof shapes

const wanted: Readonly<Record<Field['type'], string>> = {
  text: 'a string', number: 'a number', boolean: 'a boolean', json: 'there', object: 'an object', texts: 'a list of strings', objects: 'a list of objects',
}

/** The `kind` of a row by its shape. */
const rowKinds: ReadonlyMap<string, string> = new Map(Object.entries(rowShapes).map(([kind, shape]) => [shape, kind]))

/**
 * Reads an unchecked object: every field has its type in the result. A field that is missing or
 * of the wrong type gets an empty value, or is omitted if it is optional.
 * Fields that the shape does not name are omitted.
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

/** Returns the first required field that an object lacks, as `name must be a string`; undefined if there is none. */
export function lackOf(shape: string, raw: JsonObject): string | undefined {
  for (const field of fieldsOf(shape)) {
    if (field.need !== 'must' && field.need !== 'filled') continue
    const value = valueOf(field, raw)
    const inner = asObject(member(raw, field.name))
    if (value === undefined && field.type === 'object' && field.of !== undefined && inner !== undefined) return `${field.name}.${lackOf(field.of, inner) ?? ''}`
    if (value === undefined) return `${field.name} must be ${wanted[field.type]}${field.words === undefined ? '' : ` of ${field.words.join(', ')}`}`
    if (field.need === 'filled' && value === '') return `${field.name} must be a non-empty string`
  }
  return undefined
}

function fieldsOf(shape: string): readonly Field[] {
  return shapes[shape as Shape]
}

/** Returns a field's value, undefined if it is missing, of the wrong type or not one of its words. */
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
      // Elements of a list that cannot be read are omitted.
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
