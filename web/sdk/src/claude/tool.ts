import { answerOf } from '../mcp/client.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError } from '../protocol/errors.js'
import { asObject } from '../json/read.js'
import { type StandardResult, type StandardSchema, standardOf } from '../tools/schema.js'
import { type AgentTool, tool } from '../tools/tool.js'

/** The members that are used here of a tool created by `tool` of `@anthropic-ai/claude-agent-sdk`. */
export interface ClaudeTool {
  readonly name: string
  readonly description: string
  /** The schemas of the arguments, by name. */
  readonly inputSchema?: object | null
  readonly handler: (args: never, extra: unknown) => Promise<{ readonly content?: unknown; readonly structuredContent?: unknown; readonly isError?: unknown }>
}

/** Returns a tool of Claude's Agent SDK as a tool of an agent; the asker gets the message of a failure that it reports. */
export function toolOf({ name, description, inputSchema, handler }: ClaudeTool): AgentTool {
  return tool({
    description, input: objectOf(name, asObject(inputSchema) ?? {}),
    run: async (args, { signal }) => answerOf(name, await handler(args as never, { signal })),
  })
}

type Field = StandardSchema['~standard']

/** Builds the schema of an object from the schemas of its members, as Zod's `object` does. */
function objectOf(name: string, shape: Readonly<Record<string, unknown>>): StandardSchema {
  const fields = Object.entries(shape).map(([key, schema]): readonly [string, Field] => {
    const field = standardOf(schema)
    if (field?.jsonSchema === undefined) {
      throw new OptionError(`the argument ${JSON.stringify(key)} of the tool ${JSON.stringify(name)} gives no JSON Schema: use Zod 4.2 or newer`)
    }
    return [key, field]
  })
  const jsonSchema: NonNullable<Field['jsonSchema']> = {
    input: (options) => ({
      type: 'object',
      properties: Object.fromEntries(fields.map(([key, field]) => {
        const { $schema: _dialect, ...property } = field.jsonSchema?.input(options) ?? {}
        return [key, property]
      })),
      required: fields.filter(([, field]) => !mayBeAbsent(field)).map(([key]) => key),
    }),
  }
  return { '~standard': { version: 1, vendor: 'playctl', jsonSchema, validate: async (value) => validated(fields, asObject(value) ?? {}) } }
}

async function validated(fields: readonly (readonly [string, Field])[], given: JsonObject): Promise<StandardResult<unknown>> {
  const issues = []
  const value: Record<string, unknown> = {}
  for (const [key, field] of fields) {
    const outcome = await field.validate?.(given[key]) ?? { value: given[key] }
    if (outcome.issues !== undefined) issues.push(...outcome.issues.map(({ message, path = [] }) => ({ message, path: [key, ...path] })))
    else if (outcome.value !== undefined) value[key] = outcome.value
  }
  return issues.length > 0 ? { issues } : { value }
}

/** Reports whether an argument is optional: its schema accepts undefined. */
function mayBeAbsent(field: Field): boolean {
  const outcome = field.validate?.(undefined)
  return outcome !== undefined && !(outcome instanceof Promise) && outcome.issues === undefined
}
