import { Validator } from '@cfworker/json-schema'
import { asObject } from '../json/read.js'
import type { JsonObject } from '../protocol/contract.js'
import { OptionError, ToolError } from '../protocol/errors.js'
import type { Agent } from '../world/agent.js'
import type { IntercomAnswer } from '../world/intercom_types.js'
import type { JourneyRecorder } from './recorder.js'
import { type ArgsOf, type StandardSchema, type ToolInput, jsonSchemaOf, standardOf } from './schema.js'

/** What a tool or a chat function knows of the question that it answers. */
export interface Asked {
  /** Who asks: an agent's id, or a label such as `HUMAN_LABEL`. */
  readonly from: string
  /** The agent that is asked. */
  readonly agent: Agent
  /** Names the question. */
  readonly requestId: string
  /** Ends when no answer is needed any more. */
  readonly signal: AbortSignal
  /** Collects what is done for the answer; it is recorded if the program has `record`. */
  readonly journey: JourneyRecorder
  /** Sends a part of the answer; parts are sent in order, and those that wait go together. It need not be awaited. */
  readonly stream: (text: string) => Promise<void>
}

/**
 * What a tool or a chat function gives: a text is the answer's message, an object of `message` and `result` the whole
 * answer, any other JSON object its result, nothing the parts that were streamed.
 */
export type Answer = string | IntercomAnswer | object | number | boolean | null | undefined

/** The definition of a tool. */
export interface ToolDefinition<Input extends ToolInput> {
  /** What the tool does; people see it. */
  readonly description: string
  /** The schema of its arguments: a Standard Schema that provides its JSON Schema, or a JSON Schema. No arguments unless it is given. */
  readonly input?: Input
  /** Does it. The arguments were checked. The message of a `ToolError` goes to the asker, any other error to the developer. */
  readonly run: (args: ArgsOf<Input>, asked: Asked) => Answer | Promise<Answer>
}

/** A tool of an agent, created by `tool`. */
export interface AgentTool {
  readonly description: string
  /** The JSON Schema of what it takes, once its name is known. @internal */
  readonly parameters: (name: string) => JsonObject
  /** Checks the arguments and runs. @internal */
  readonly call: (args: JsonObject, asked: Asked) => Promise<Answer>
}

/** Creates a tool of an agent: `tool({ description, input, run })`. */
export function tool<const Input extends ToolInput>(definition: ToolDefinition<Input>): AgentTool {
  const { description, input, run } = definition
  if (typeof run !== 'function') throw new OptionError('a tool needs run, the function that does it')
  const given = input ?? { type: 'object', properties: {} }
  const check = checkOf(given)
  return {
    description,
    parameters: (name) => jsonSchemaOf(name, given),
    call: async (args, asked) => run(await check(args) as ArgsOf<Input>, asked),
  }
}

type Check = (args: JsonObject) => unknown

/** What checks arguments: it gives them as an input takes them, or is a `ToolError` that names those that are wrong. */
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
    // The sentences about a whole object only say that one of its members is wrong.
    const causes = outcome.errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items')
    throw wrong(causes.map(({ instanceLocation, error }) => [instanceLocation.replace(/^#\/?/u, '').replaceAll('/', '.'), error]))
  }
}

/** How many wrong arguments are named at most. */
const mostNamed = 5

function wrong(issues: readonly (readonly [path: string, message: string])[]): ToolError {
  const named = issues.slice(0, mostNamed).map(([path, message]) => (path === '' ? message : `${path}: ${message}`))
  return new ToolError(`the arguments are not what the tool takes: ${named.join('; ')}`)
}
