import { asArray, asObject, asText, member } from '../json/read.js'
import type { Json, JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'
import { standardOf } from '../tools/schema.js'
import { type FrameworkRegistration, frameworkRegistration } from '../world/framework.js'

/** Returns the registration of a LangChain agent. It reads the agent's tools, from its own list or from its options; one of them must be `chat_tool`. */
export function langchainRegistration(agent: unknown): FrameworkRegistration {
  const tools = toolsOf(agent)
  if (tools === undefined) throw new OptionError('the agent has no list of tools: give what createAgent({ tools }) made, or { tools }')
  return frameworkRegistration('langchain', tools.map(described))
}

/** Returns the tools of a LangChain agent, from its own list or from its options; undefined if it has none. */
export function toolsOf(agent: unknown): readonly Json[] | undefined {
  const given = asObject(agent)
  return asArray(given?.tools) ?? asArray(member(asObject(given?.options), 'tools'))
}

/** Returns a tool with a schema that gives JSON Schema: that of Zod 3, which gives none, is replaced by the names and plain types. */
export function described(tool: Json): Json {
  const given = asObject(tool)
  const schema = member(given, 'schema')
  const shape = standardOf(schema)?.jsonSchema === undefined ? shapeOf(schema) : undefined
  if (given === undefined || shape === undefined) return tool
  const properties = Object.fromEntries(Object.entries(shape).map(([name, cell]) => [name, typeOf(cell)]))
  return { name: given.name ?? '', description: given.description ?? '', parameters: { type: 'object', properties } }
}

function shapeOf(schema: unknown): JsonObject | undefined {
  if (typeof schema !== 'object' || schema === null || !('_def' in schema)) return undefined
  const { shape } = schema._def as { readonly shape?: unknown }
  return asObject(typeof shape === 'function' ? (shape as () => unknown)() : shape)
}

const plainTypes: Readonly<Record<string, string>> = { ZodString: 'string', ZodNumber: 'number', ZodBoolean: 'boolean' }

/** How many wrappers a Zod type may have, such as an optional with a default. */
const deepest = 8

function typeOf(cell: Json): JsonObject {
  let definition = asObject(member(asObject(cell), '_def'))
  for (let depth = 0; depth < deepest && definition !== undefined; depth++) {
    const type = plainTypes[asText(definition.typeName) ?? '']
    if (type !== undefined) return { type }
    definition = asObject(member(asObject(definition.innerType ?? definition.schema), '_def'))
  }
  return {}
}
