import { asObject } from '../json/read.js'
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

/** Returns the JSON Schema of an object that an input is or provides; an input without one is an `OptionError` that names the tool. */
export function jsonSchemaOf(tool: string, input: unknown): JsonObject {
  const standard = standardOf(input)
  if (standard !== undefined) return asParameters(tool, schemaOfStandard(tool, standard))
  const given = asObject(input)
  if (given !== undefined && ('_def' in given || '_zod' in given)) {
    throw new OptionError(`the schema of the tool ${JSON.stringify(tool)} is of a version of Zod that gives no JSON Schema: use Zod 4.2 or newer, or give a JSON Schema`)
  }
  return asParameters(tool, given)
}

function schemaOfStandard(tool: string, standard: StandardSchema['~standard']): unknown {
  if (standard.jsonSchema === undefined) {
    throw new OptionError(`the schema of the tool ${JSON.stringify(tool)} (${standard.vendor}) gives no JSON Schema: ` +
      'use Zod 4.2 or newer, ArkType 2.1.28 or newer, Valibot with toStandardJsonSchema of @valibot/to-json-schema, or give a JSON Schema')
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-2020-12' })
  } catch (error) {
    throw new OptionError(`the schema of the tool ${JSON.stringify(tool)} cannot be described in JSON Schema: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function asParameters(tool: string, schema: unknown): JsonObject {
  const given = asObject(schema)
  if (given === undefined) throw new OptionError(`the parameters of the tool ${JSON.stringify(tool)} are no JSON object: give a JSON Schema, such as { type: 'object', properties: {} }`)
  if (given.type !== undefined && given.type !== 'object') {
    throw new OptionError(`the parameters of the tool ${JSON.stringify(tool)} describe no object: a tool's arguments have names`)
  }
  const { $schema: _dialect, ...rest } = given
  return rest
}

/**
 * Returns a JSON Schema that states the order in which its properties were written: `x-order` counts them from 0 if there
 * are several, since a row's JSON is sorted by names. Properties that already have an `x-order` keep it.
 */
export function inOrder(schema: JsonObject): JsonObject {
  const properties = asObject(schema.properties)
  const items = asObject(schema.items)
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: ordered(properties) }),
    ...(items === undefined ? {} : { items: inOrder(items) }),
    ...Object.fromEntries(['$defs', 'definitions'].flatMap((word) => {
      const named = asObject(schema[word])
      return named === undefined ? [] : [[word, Object.fromEntries(Object.entries(named).map(([name, one]) => [name, orderedWithin(one)]))]]
    })),
  }
}

function orderedWithin(schema: Json): Json {
  const object = asObject(schema)
  return object === undefined ? schema : inOrder(object)
}

function ordered(properties: JsonObject): JsonObject {
  const names = Object.keys(properties)
  return Object.fromEntries(names.map((name, place) => {
    const property = asObject(properties[name])
    if (property === undefined) return [name, properties[name] ?? {}]
    const placed = names.length > 1 && property['x-order'] === undefined ? { ...property, 'x-order': place } : property
    return [name, inOrder(placed)]
  }))
}
