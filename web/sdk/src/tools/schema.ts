import { asArray, asObject, asText, asTexts } from '../json/read.js'
import type { Json, JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'

/**
 * A schema of a library that implements Standard Schema (https://standardschema.dev) and provides its JSON Schema:
 * Zod from 4.2, ArkType from 2.1.28, Valibot through `toStandardJsonSchema` of `@valibot/to-json-schema`.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate?: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}

/** The result of validating a value with a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined }[] }

/** The schema of a tool's arguments: a Standard Schema, or a JSON Schema of an object. */
export type ToolInput = StandardSchema | JsonSchema

/** A JSON Schema as an object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of the arguments that an input describes. */
export type ArgsOf<Input> =
  Input extends { readonly '~standard': { readonly types?: infer Types } } ? OutputOf<NonNullable<Types>>
    : Input extends { readonly properties: infer Properties } ? ObjectOf<Properties, Input> : JsonObject

type OutputOf<Types> = Types extends { readonly output: infer Output } ? Output : JsonObject

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never

type ObjectOf<Properties, Schema> =
  & { readonly [Name in keyof Properties as Name extends RequiredOf<Schema> ? Name : never]: ValueOf<Properties[Name]> }
  & { readonly [Name in keyof Properties as Name extends RequiredOf<Schema> ? never : Name]?: ValueOf<Properties[Name]> }

/** The type of the values that a JSON Schema describes, if the schema is a literal. */
type ValueOf<Schema> =
  Schema extends { readonly const: infer Value } ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] } ? Value
      : Schema extends { readonly properties: infer Properties } ? ObjectOf<Properties, Schema>
        : Schema extends { readonly type: 'array'; readonly items: infer Item } ? readonly ValueOf<Item>[]
          : Schema extends { readonly type: infer Type extends keyof Values } ? Values[Type] : Json

interface Values {
  readonly string: string
  readonly integer: number
  readonly number: number
  readonly boolean: boolean
  readonly null: null
  readonly array: readonly Json[]
  readonly object: JsonObject
}

/** Returns the Standard Schema of a value; undefined if it has none. Some libraries' schemas are functions. */
export function standardOf(value: unknown): StandardSchema['~standard'] | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) return undefined
  return (value as StandardSchema)['~standard']
}

/** Describes a tool without arguments. */
const empty = { type: 'object', properties: {} } as const satisfies JsonSchema

/** The names of a schema within an object: Vercel's and Bedrock's. */
const wrappers = ['jsonSchema', 'json']

/** Returns the schema of arguments as the client uses it: an empty one for none, and the one that the AI SDK or Bedrock put into an object or a function. */
export function inputOf(schema: unknown): ToolInput {
  if (typeof schema === 'function' && standardOf(schema) === undefined) return inputOf((schema as () => unknown)())
  const given = asObject(schema)
  if (given === undefined || standardOf(given) !== undefined) return (schema ?? empty) as ToolInput
  const wrapper = wrappers.find((name) => given[name] !== undefined && given.type === undefined && given.properties === undefined)
  return (wrapper === undefined ? given : given[wrapper]) as ToolInput
}

/** Returns the JSON Schema of an object that an input is or provides; an input without one is an `OptionError` about `what`. */
export function jsonSchemaOf(what: string, input: unknown): JsonObject {
  const standard = standardOf(input)
  if (standard !== undefined) return asParameters(what, schemaOfStandard(what, standard))
  const given = asObject(input)
  if (given !== undefined && ('_def' in given || '_zod' in given)) {
    throw new OptionError(`${what} is of a version of Zod that gives no JSON Schema: use Zod 4.2 or newer, or give a JSON Schema`)
  }
  if (input instanceof Promise) throw new OptionError(`${what} is not there yet: give one whose jsonSchema is not a promise`)
  return asParameters(what, input)
}

function schemaOfStandard(what: string, standard: StandardSchema['~standard']): unknown {
  if (standard.jsonSchema === undefined) {
    throw new OptionError(`${what} (${standard.vendor}) gives no JSON Schema: ` +
      'use Zod 4.2 or newer, ArkType 2.1.28 or newer, Valibot with toStandardJsonSchema of @valibot/to-json-schema, or give a JSON Schema')
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch (error) {
    throw new OptionError(`${what} cannot be described in JSON Schema: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function asParameters(what: string, schema: unknown): JsonObject {
  const given = asObject(schema)
  if (given === undefined) throw new OptionError(`${what} is ${kindOf(schema)}: it must be a JSON Schema object, such as ${JSON.stringify(empty)}`)
  const { $schema: _dialect, ...rest } = plain(what, given)
  const { type, properties, required } = rest
  if (typeof type === 'string' && type.toLowerCase() !== 'object') {
    throw new OptionError(`${what} has the type ${JSON.stringify(type)}: arguments have names, so it must be "object"`)
  }
  if (properties !== undefined && asObject(properties) === undefined) {
    throw new OptionError(`${what} has properties that are ${kindOf(properties)}: they must be an object, empty for none`)
  }
  if (required !== undefined && asTexts(required) === undefined) throw new OptionError(`${what} has required that is ${kindOf(required)}: it must be a list of names`)
  return rest
}

/** Returns a schema without what JSON cannot state. */
function plain(what: string, schema: JsonObject): JsonObject {
  try {
    return JSON.parse(JSON.stringify(schema)) as JsonObject
  } catch (error) {
    throw new OptionError(`${what} has no JSON form: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** Names the kind of a value. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

/** The greatest depth of nested schemas that are processed. */
const deepest = 8

/**
 * Returns a JSON Schema as rows need it. Types are in lower case, which Gemini has in upper case. `x-order` counts properties from 0 in
 * the order in which they were written, unless that is the order of their names, in which a row has them. Properties that already have an
 * `x-order` keep it.
 */
export function inOrder(schema: JsonObject, depth = 0): JsonObject {
  if (depth > deepest) return schema
  const within = (inner: Json): Json => {
    const object = asObject(inner)
    return object === undefined ? inner : inOrder(object, depth + 1)
  }
  return Object.fromEntries(Object.entries(schema).map(([word, value]) => {
    switch (word) {
      case 'type':
        return [word, typeof value === 'string' ? value.toLowerCase() : Array.isArray(value) ? value.map((type: Json) => asText(type)?.toLowerCase() ?? type) : value]
      case 'properties':
        return [word, eachOf(value, within, true)]
      case '$defs': case 'definitions':
        return [word, eachOf(value, within, false)]
      case 'items':
        return [word, within(value)]
      case 'anyOf': case 'oneOf': case 'allOf':
        return [word, asArray(value)?.map(within) ?? value]
      default:
        return [word, value]
    }
  }))
}

/** Processes each schema of an object of schemas, and numbers them if they are properties. */
function eachOf(schemas: Json, within: (schema: Json) => Json, properties: boolean): Json {
  const given = asObject(schemas)
  if (given === undefined) return schemas
  const names = Object.keys(given)
  const numbered = properties && names.some((name, i) => i > 0 && name < (names[i - 1] ?? ''))
  return Object.fromEntries(names.map((name, place) => {
    const schema = within(given[name] ?? {})
    const object = asObject(schema)
    return [name, numbered && object !== undefined && object['x-order'] === undefined ? { ...object, 'x-order': place } : schema]
  }))
}
