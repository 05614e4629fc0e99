import { isObject, numberOf, stringOf, stringsOf, type JsonObject } from '../world/json.js'

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
export function fieldsOf(parameters: unknown): readonly Field[] | undefined {
  if (!isObject(parameters)) {
    return undefined
  }
  if (Object.keys(parameters).length === 0) {
    return []
  }
  const { properties } = parameters
  if (properties === undefined) {
    return parameters.type === 'object' ? [] : undefined
  }
  if (!isObject(properties)) {
    return undefined
  }
  const required = new Set(stringsOf(parameters.required))
  return Object.entries(properties)
    .map(([name, schema]) => fieldOf(name, isObject(schema) ? schema : {}, required.has(name)))
    .sort((a, b) => Number(b.required) - Number(a.required))
}

function fieldOf(name: string, schema: JsonObject, required: boolean): Field {
  const options = Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : []
  const type = options.length > 0 ? 'choice' : typeOf(schema.type)
  const limit = (value: unknown): number | undefined => typeof value === 'number' ? numberOf(value) : undefined
  return {
    name, type, required, options,
    description: stringOf(schema.description, stringOf(schema.title)),
    minimum: limit(schema.minimum), maximum: limit(schema.maximum),
    minLength: limit(schema.minLength), maxLength: limit(schema.maxLength),
    initial: initialOf(schema.default, type),
  }
}

function typeOf(type: unknown): Field['type'] {
  switch (type) {
    case 'string': case 'number': case 'integer': case 'boolean': case 'object': case 'array': return type
    default: return 'any'
  }
}

function initialOf(value: unknown, type: Field['type']): string {
  if (value === undefined) {
    return ''
  }
  return type === 'string' && typeof value === 'string' ? value : JSON.stringify(value)
}
