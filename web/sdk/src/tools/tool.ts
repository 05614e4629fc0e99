import { Validator } from '@cfworker/json-schema'
import { asObject } from '../json/read.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import type { Agent } from '../world/agent.js'
import type { IntercomAnswer } from '../world/intercom_types.js'
import type { JourneyRecorder } from './recorder.js'
import { type ArgsOf, type StandardSchema, type ToolInput, inputOf, jsonSchemaOf, standardOf } from './schema.js'

/** The question that a tool or a chat function answers. */
export interface Asked {
  /** The asker: an agent's id, or a label such as `HUMAN_LABEL`. */
  readonly from: string
  /** The agent that answers. */
  readonly agent: Agent
  /** The id of the question. */
  readonly requestId: string
  /** Ends when an answer is no longer needed. */
  readonly signal: AbortSignal
  /** Collects the steps to the answer; the journey is recorded if the program has `record`. */
  readonly journey: JourneyRecorder
  /** Sends a part of the answer; parts are sent in order, and waiting parts are sent together. It need not be awaited. */
  readonly stream: (text: string) => Promise<void>
}

/**
 * The value that a tool or a chat function returns: a text is the answer's message, an object of `message` and `result` the
 * whole answer, any other JSON object its result. Without a value, the streamed parts are the answer.
 */
export type Answer = string | IntercomAnswer | object | number | boolean | null | undefined

/** The definition of a tool. */
export interface ToolDefinition<Input extends ToolInput> {
  /** What the tool does; people see it. */
  readonly description: string
  /** The schema of its arguments: a Standard Schema that provides its JSON Schema, or a JSON Schema. No arguments by default. */
  readonly input?: Input
  /** Runs the tool with checked arguments. The message of a `ToolError` goes to the asker, any other error to the developer. */
  readonly run: (args: ArgsOf<Input>, asked: Asked) => Answer | Promise<Answer>
}

/** A tool of an agent, created by `tool`. */
export interface AgentTool {
  readonly description: string
  /** Returns the JSON Schema of its arguments, for a name. @internal */
  readonly parameters: (name: string) => JsonObject
  /** Checks the arguments and runs the tool. @internal */
  readonly call: (args: JsonObject, asked: Asked) => Promise<Answer>
}

/** Creates a tool of an agent: `tool({ description, input, run })`. */
export function tool<const Input extends ToolInput>(definition: ToolDefinition<Input>): AgentTool {
  const { description, input, run } = definition
  if (typeof run !== 'function') throw new OptionError('a tool needs run, the function that does it')
  const given = inputOf(input)
  const check = checkOf(given)
  return {
    description,
    parameters: (name) => jsonSchemaOf(`the schema of the tool ${JSON.stringify(name)}`, given),
    call: async (args, asked) => run(await check(args) as ArgsOf<Input>, asked),
  }
}

type Check = (args: JsonObject) => unknown

/** Returns a function that checks arguments: it returns them as the schema parses them, or throws a `ToolError` that names the wrong ones. */
export function checkOf(input: ToolInput): Check {
  const standard = standardOf(input)
  return standard?.validate === undefined ? byJsonSchema(input) : byStandard(standard.validate)
}

function byStandard(validate: NonNullable<StandardSchema['~standard']['validate']>): Check {
  return async (args) => {
    const outcome = await validate(args)
    if (outcome.issues === undefined) return outcome.value
    throw wrong(outcome.issues.map(({ message, path }) => [path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.') ?? '', message]))
  }
}

function byJsonSchema(input: ToolInput): Check {
  let validator: Validator | undefined
  return (args) => {
    validator ??= new Validator(asObject(input) ?? {}, '2020-12', false)
    const outcome = validator.validate(args)
    if (outcome.valid) return args
    // Errors for a whole object only state that one of its members is wrong.
    const causes = outcome.errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items')
    throw wrong(causes.map(({ instanceLocation, error }) => [instanceLocation.replace(/^#\/?/u, '').replaceAll('/', '.'), error]))
  }
}

/** How many wrong arguments are named at most. */
const mostNamed = 5

function wrong(issues: readonly (readonly [path: string, message: string])[]): ToolError {
  const named = issues.slice(0, mostNamed).map(([path, message]) => (path === '' ? message : `${path}: ${message}`))
  return new ToolError(`the arguments do not match the tool's parameters: ${named.join('; ')}`)
}
