import { asArray, asObject, asText } from '../json/read.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'
import { inOrder, inputOf, jsonSchemaOf, kindOf, standardOf } from './schema.js'

// The names that frameworks and model vendors have for the parts of a list of tools. The Go SDK reads the same ones; sdk/testdata/tools
// has lists for both.

/** The names of lists: the later ones are Gemini's, and those around the lists of an MCP reply and of Bedrock. */
const listKeys = ['tools', 'functions', 'functionDeclarations', 'function_declarations', 'result', 'toolConfig']

/** The names of a tool within its entry: OpenAI's and Bedrock's. */
const toolKeys = ['function', 'toolSpec']

/**
 * The names of the schema of the arguments: OpenAI's and Gemini's, the one of MCP and Vercel, Anthropic's, LangChain's in Python and in
 * JavaScript, and Gemini's for JSON Schema. The first that is not null counts.
 */
const schemaKeys = ['parameters', 'inputSchema', 'input_schema', 'args_schema', 'schema', 'parametersJsonSchema', 'parameters_json_schema']

/** A tool of a list, with the schema of its arguments as it was given. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  /** The name of the schema in the tool; undefined if it has none. */
  readonly key: string | undefined
  readonly schema: unknown
  /** The member that describes arguments under a name that is not known. */
  readonly unread: string | undefined
}

/**
 * Reads a list of tools in the form of OpenAI (chat completions and responses), Anthropic, MCP, LangChain, Gemini, Vercel or Bedrock: an
 * array, an object that contains it, or an object with the tools by their names. An `OptionError` says which tool cannot be read.
 */
export function toolsIn(list: unknown): ListedTool[] {
  const tools: ListedTool[] = []
  addList(tools, list)
  for (const [i, { name }] of tools.entries()) {
    const first = tools.findIndex((other) => other.name === name)
    if (first < i) throw new OptionError(`tools ${first + 1} and ${i + 1} have the same name ${JSON.stringify(name)}: rename one of them`)
  }
  return tools
}

/** Returns the parameters of a tool as a JSON Schema; without a schema they are an empty form. */
export function parametersOf({ name, key, schema, unread }: ListedTool): JsonObject {
  if (unread !== undefined) {
    throw new OptionError(`the tool ${JSON.stringify(name)}: ${JSON.stringify(unread)} describes arguments, but is not a name for them: put their schema into "parameters"`)
  }
  const what = `${key ?? 'parameters'} of the tool ${JSON.stringify(name)}`
  const parameters = jsonSchemaOf(what, inputOf(schema))
  if (areArguments(parameters)) throw new OptionError(`${what} is not a JSON Schema: put its members into "properties", as in {"type":"object","properties":{…}}`)
  return inOrder(parameters)
}

function addList(tools: ListedTool[], list: unknown): void {
  const entries = asArray(list)
  const object = asObject(list)
  if (entries !== undefined) for (const entry of entries) addEntry(tools, entry)
  else if (object === undefined) throw new OptionError('the tools are not a list')
  else {
    const inner = firstOf(object, listKeys)
    if (inner !== undefined) addList(tools, object[inner])
    else if (isTool(object)) addEntry(tools, object)
    else for (const [name, entry] of Object.entries(object)) addEntry(tools, entry, name)
  }
}

/** Adds an entry of a list: a tool, an object that contains one or several, or a name alone. `name` is the name of a tool that does not contain it. */
function addEntry(tools: ListedTool[], entry: unknown, name?: string): void {
  const what = name === undefined ? `tool ${tools.length + 1}` : `the tool ${JSON.stringify(name)}`
  if (name === undefined && typeof entry === 'string' && entry !== '') {
    tools.push({ name: entry, description: '', key: undefined, schema: undefined, unread: undefined })
    return
  }
  const object = asObject(entry)
  if (object === undefined) throw new OptionError(`${what} is ${kindOf(entry)}: it must be an object with a name, a description and parameters`)
  const list = firstOf(object, listKeys)
  if (list !== undefined && !isTool(object)) {
    addList(tools, object[list])
    return
  }
  const inner = firstOf(object, toolKeys)
  const tool = inner === undefined ? object : asObject(object[inner])
  if (tool === undefined) throw new OptionError(`${what} contains ${kindOf(object[inner ?? ''])}: it must be an object with a name, a description and parameters`)
  // A JSON Schema with a title is a tool of LangChain.
  const titled = (tool.name ?? undefined) === undefined && asText(tool.title) !== undefined && asObject(tool.properties) !== undefined
  tools.push(toolOf(titled ? { name: tool.title ?? null, description: tool.description ?? null, parameters: tool } : tool, what, name))
}

function toolOf(tool: JsonObject, what: string, key: string | undefined): ListedTool {
  const given: unknown = tool.name ?? key
  if (given === undefined) {
    const members = Object.keys(tool)
    const kind = asText(tool.type) ?? (members.length === 1 ? members[0] : undefined)
    const remedy = kind === undefined || kind === 'function' ? 'add "name"' : `remove it if it is the tool ${JSON.stringify(kind)} of a model's vendor, which people cannot call`
    throw new OptionError(`${what} has no name: ${remedy}`)
  }
  if (typeof given !== 'string') throw new OptionError(`the name of ${what} is ${kindOf(given)}: it must be a text`)
  if (given === '') throw new OptionError(`the name of ${what} is empty`)
  const description: unknown = tool.description ?? ''
  if (typeof description !== 'string') throw new OptionError(`the tool ${JSON.stringify(given)}: its description is ${kindOf(description)}: it must be a text`)
  const named = firstOf(tool, schemaKeys)
  return { name: given, description, key: named, schema: named === undefined ? undefined : tool[named], unread: named === undefined ? unreadSchema(tool) : undefined }
}

/** Returns the first of some members that an object has. */
function firstOf(object: JsonObject, keys: readonly string[]): string | undefined {
  return keys.find((key) => object[key] !== undefined && object[key] !== null)
}

/** Reports whether an object is a tool, or an entry with one. */
function isTool(object: JsonObject): boolean {
  return firstOf(object, toolKeys) !== undefined || typeof object.name === 'string'
}

/** Returns the member that describes arguments under a name that is not known; undefined if there is none. */
function unreadSchema(tool: JsonObject): string | undefined {
  return Object.keys(tool).find((key) => !/^_*(?:output|response|result|return|annotation|meta)/u.test(key) && describesArguments(tool[key]))
}

function describesArguments(value: unknown): boolean {
  const given = asObject(value)
  if (standardOf(value) !== undefined || (given !== undefined && '_def' in given)) return true
  if (given === undefined) return false
  if (asText(given.type)?.toLowerCase() === 'object' || asObject(given.properties) !== undefined) return true
  return areArguments(given)
}

/** Reports whether a value has arguments by their names, each with a type: the properties of a schema without the schema around them. */
function areArguments(given: JsonObject): boolean {
  const members = Object.entries(given)
  return members.length > 0 && members.every(([name, property]) => name !== 'properties' && asObject(property)?.type !== undefined)
}
