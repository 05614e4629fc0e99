import { asArray, asNumber, asObject, asText, type Json, type JsonObject } from '@playctl/sdk'

/** One field of a form, made from one parameter of a tool. */
export interface Field {
  readonly name: string
  readonly description: string
  /** How it is entered: json is an object or an array, written as JSON. */
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'object' | 'array' | 'any'
  readonly required: boolean
  /** What a choice is among, as JSON. */
  readonly options: readonly string[]
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  /** What is in the field at first. */
  readonly initial: string
}

/**
 * The fields for a tool's parameters: none for a tool that takes nothing,
 * undefined where they are no JSON Schema of an object and only JSON will do.
 */
export function fieldsOf(value: unknown): readonly Field[] | undefined {
  const parameters = asObject(value)
  if (parameters === undefined) {
    return undefined
  }
  if (Object.keys(parameters).length === 0) {
    return []
  }
  if (parameters.properties === undefined) {
    return parameters.type === 'object' ? [] : undefined
  }
  const properties = asObject(parameters.properties)
  if (properties === undefined) {
    return undefined
  }
  const required = new Set(asArray(parameters.required) ?? [])
  return Object.entries(properties)
    .map(([name, schema]) => fieldOf(name, asObject(schema) ?? {}, required.has(name)))
    .sort((a, b) => Number(b.required) - Number(a.required))
}

function fieldOf(name: string, schema: JsonObject, required: boolean): Field {
  const options = (asArray(schema.enum) ?? []).map((value) => JSON.stringify(value))
  const type = options.length > 0 ? 'choice' : typeOf(schema.type)
  return {
    name, type, required, options,
    description: asText(schema.description) ?? asText(schema.title) ?? '',
    minimum: asNumber(schema.minimum), maximum: asNumber(schema.maximum),
    minLength: asNumber(schema.minLength), maxLength: asNumber(schema.maxLength),
    initial: initialOf(schema.default, type),
  }
}

function typeOf(type: Json | undefined): Field['type'] {
  switch (type) {
    case 'string': case 'number': case 'integer': case 'boolean': case 'object': case 'array': return type
    default: return 'any'
  }
}

function initialOf(value: Json | undefined, type: Field['type']): string {
  if (value === undefined) {
    return ''
  }
  return type === 'string' && typeof value === 'string' ? value : JSON.stringify(value)
}
