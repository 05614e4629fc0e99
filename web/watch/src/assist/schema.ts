import { asArray, asNumber, asObject, asText, type Json, type JsonObject } from '@playctl/sdk'

/** One of the values of a choice. */
export interface Option {
  /** The value as JSON. */
  readonly value: string
  readonly name: string
}

/** One field of a form, created from one parameter of a tool. */
export interface Field {
  readonly name: string
  /** How the schema calls it; else its name. */
  readonly title: string
  readonly description: string
  /** The kind of input: a choice is one of some values, choices are several; an object or an array is entered as JSON. */
  readonly type: 'string' | 'date' | 'date-time' | 'time' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'object' | 'array' | 'any'
  readonly required: boolean
  /** Whether null is sent if nothing is entered: the parameter is required, and may be null. */
  readonly nullable: boolean
  /** The options of a choice. */
  readonly options: readonly Option[]
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  /** Limits that the number itself must not reach. */
  readonly above: number | undefined
  readonly below: number | undefined
  readonly multipleOf: number | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  /** The format and the pattern of a text; empty for none. */
  readonly format: string
  readonly pattern: string
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  /** The initial content of the field. */
  readonly initial: string
}

/**
 * Returns the fields for a tool's parameters: none for a tool without parameters,
 * undefined if they are no JSON Schema of an object and only JSON is possible.
 */
export function fieldsOf(value: unknown): readonly Field[] | undefined {
  const whole = asObject(value)
  if (whole === undefined) {
    return undefined
  }
  if (Object.keys(whole).length === 0) {
    return []
  }
  const find = (schema: JsonObject): JsonObject => found(schema, whole)
  const parameters = find(whole)
  if (parameters.properties === undefined) {
    return parameters.type === 'object' ? [] : undefined
  }
  const properties = asObject(parameters.properties)
  if (properties === undefined) {
    return undefined
  }
  const required = new Set(asArray(parameters.required) ?? [])
  return Object.entries(properties)
    .map(([name, schema]) => ({ field: fieldOf(name, asObject(schema) ?? {}, required.has(name), find), order: asNumber(asObject(schema)?.['x-order']) ?? Infinity }))
    // In the order of the schema, if it states one: rows are canonical JSON, which sorts names. Otherwise required parameters come first.
    .sort((a, b) => a.order === b.order ? Number(b.field.required) - Number(a.field.required) : a.order - b.order)
    .map(({ field }) => field)
}

/** The greatest number of references that are followed: more are a cycle, or too many for a form. */
const furthest = 8

/**
 * Resolves the references of a schema: named schemas are under `$defs` or `definitions` of the whole, and an `allOf`
 * of one schema is that schema. Values beside a reference, such as a description, have priority.
 */
function found(schema: JsonObject, whole: JsonObject): JsonObject {
  let here = schema
  for (let steps = 0; steps < furthest; steps++) {
    const { $ref, allOf, ...beside } = here
    const only = asArray(allOf)?.length === 1 ? asObject(asArray(allOf)?.[0]) : undefined
    const there = $ref === undefined ? only : named(asText($ref) ?? '', whole)
    if (there === undefined) return here
    here = { ...there, ...beside, ...($ref !== undefined && allOf !== undefined ? { allOf } : {}) }
  }
  return {}
}

/** Returns the schema of the whole that a reference names. */
function named(reference: string, whole: JsonObject): JsonObject | undefined {
  const [, word = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/u.exec(reference) ?? []
  const all = asObject(whole[word]) ?? {}
  const plain = name.replaceAll('~1', '/').replaceAll('~0', '~')
  return Object.hasOwn(all, plain) ? asObject(all[plain]) : undefined
}

function fieldOf(name: string, given: JsonObject, needed: boolean, find: (schema: JsonObject) => JsonObject): Field {
  const { schema, nullable } = withoutNull(find(given), find)
  const required = needed && !nullable
  const one = optionsOf(schema)
  const several = schema.type === 'array' ? optionsOf(find(asObject(schema.items) ?? {})) : []
  const type = one.length > 0 ? 'choice' : several.length > 0 ? 'choices' : typeOf(schema)
  return {
    name, type, required, nullable: needed && nullable, options: one.length > 0 ? one : several,
    title: /\S/u.test(asText(schema.title) ?? '') ? asText(schema.title) ?? name : name,
    description: asText(schema.description) ?? '',
    ...limitsOf(schema),
    initial: initialOf(schema.default, type),
  }
}

type Limits = Pick<Field, 'minimum' | 'maximum' | 'above' | 'below' | 'multipleOf' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'format' | 'pattern'>

/** Returns the limits of a schema for a value; none for a schema without any. */
export function limitsOf(schema: JsonObject): Limits {
  // In schemas of draft 4, true makes the limit itself too much.
  const excluded = (limit: Json | undefined, strict: Json | undefined): number | undefined => strict === true ? asNumber(limit) : asNumber(strict)
  return {
    minimum: asNumber(schema.minimum), maximum: asNumber(schema.maximum),
    above: excluded(schema.minimum, schema.exclusiveMinimum), below: excluded(schema.maximum, schema.exclusiveMaximum), multipleOf: asNumber(schema.multipleOf),
    minLength: asNumber(schema.minLength), maxLength: asNumber(schema.maxLength), minItems: asNumber(schema.minItems), maxItems: asNumber(schema.maxItems),
    format: asText(schema.format) ?? '', pattern: asText(schema.pattern) ?? '',
  }
}

/** Returns a schema without null among its values, in any notation, and whether null was allowed. */
function withoutNull(schema: JsonObject, find: (schema: JsonObject) => JsonObject): { readonly schema: JsonObject; readonly nullable: boolean } {
  for (const word of ['anyOf', 'oneOf'] as const) {
    const choices = asArray(schema[word])
    const others = choices?.filter((choice) => !isNull(asObject(choice) ?? {}))
    if (choices === undefined || others === undefined || others.length === 0 || others.length === choices.length) continue
    const { [word]: _choices, ...rest } = schema
    const only = others.length === 1 ? asObject(others[0]) : undefined
    // Values beside the choices, such as a description, have priority.
    return { schema: only === undefined ? { ...rest, [word]: others } : { ...withoutNull(find(only), find).schema, ...rest }, nullable: true }
  }
  const types = asArray(schema.type)
  const others = types?.filter((type) => type !== 'null') ?? []
  if (types === undefined || others.length === 0 || others.length === types.length) return { schema, nullable: false }
  const listed = asArray(schema.enum)
  return {
    schema: { ...schema, type: others.length === 1 ? others[0] ?? null : others, ...(listed === undefined ? {} : { enum: listed.filter((value) => value !== null) }) },
    nullable: true,
  }
}

function isNull(schema: JsonObject): boolean {
  return schema.type === 'null' || schema.const === null
}

/** Returns the values listed in a schema: by `enum`, or as constants with titles. */
function optionsOf(schema: JsonObject): readonly Option[] {
  const listed = asArray(schema.enum)
  if (listed !== undefined) return listed.map((value) => optionOf(value))
  const constants = (asArray(schema.oneOf) ?? asArray(schema.anyOf) ?? []).map((one) => asObject(one) ?? {})
  return constants.every((one) => 'const' in one) ? constants.map((one) => optionOf(one.const ?? null, asText(one.title))) : []
}

function optionOf(value: Json, title?: string): Option {
  return { value: JSON.stringify(value), name: title ?? (typeof value === 'string' ? value : JSON.stringify(value)) }
}

function typeOf({ type, format }: JsonObject): Field['type'] {
  switch (type) {
    case 'string': return format === 'date' || format === 'date-time' || format === 'time' ? format : 'string'
    case 'number': case 'integer': case 'boolean': case 'object': case 'array': return type
    default: return 'any'
  }
}

function initialOf(value: Json | undefined, type: Field['type']): string {
  if (value === undefined) {
    return ''
  }
  if (type === 'date-time') return localTime(Date.parse(asText(value) ?? ''))
  if (type === 'time') return (asText(value) ?? '').slice(0, 8)
  return (type === 'string' || type === 'date') && typeof value === 'string' ? value : JSON.stringify(value)
}

/** Formats a time for a browser's field, in this browser's time zone; empty for an invalid one. */
function localTime(at: number): string {
  if (Number.isNaN(at)) return ''
  const moment = new Date(at)
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
