import { asError } from '../protocol/callback.js'
import { JourneyRecorder, type Redact } from '../tools/recorder.js'
import type { Agent } from '../world/agent.js'

/** The members of a part of a run that are used here; the parts of a stream and the contents of a step have the same form. */
export interface RunPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: unknown
  /** True if another output of the same call follows. */
  readonly preliminary?: unknown
}

/** The members of the result of `generateText`, `streamText` or an agent's method that are used here. */
export interface AiRun {
  readonly steps: PromiseLike<readonly { readonly content: readonly unknown[] }[]> | readonly { readonly content: readonly unknown[] }[]
  readonly text: PromiseLike<string> | string
}

/** The options of `recordRun`. */
export interface RunOptions {
  /** Changes a step before everybody in the world sees it, or omits it. */
  readonly redact?: Redact
}

/** Records a tool call or its result. */
export function note(journey: JourneyRecorder, part: RunPart): void {
  const id = String(part.toolCallId)
  if (part.type === 'tool-call') journey.call(String(part.toolName), part.input, id)
  if (part.type === 'tool-result' && part.preliminary !== true) journey.result(id, part.output)
  if (part.type === 'tool-error') journey.failed(id, part.error)
}

/** Records all tool calls of a finished run. */
export async function noteSteps(journey: JourneyRecorder, run: AiRun): Promise<void> {
  for (const { content } of await run.steps) {
    for (const part of content) note(journey, part as RunPart)
  }
}

/**
 * Records a journey of an agent from a run that the world did not start, and returns the run:
 * `await recordRun(ada, prompt, agent.generate({ prompt }))`. A run that fails is recorded up to the failure, and its error is thrown.
 * A journey that cannot be recorded is an error as well.
 */
export async function recordRun<Run extends AiRun>(agent: Agent, prompt: string, run: PromiseLike<Run> | Run, options: RunOptions = {}): Promise<Run> {
  const journey = new JourneyRecorder(prompt, options.redact)
  let done, answer
  try {
    done = await run
    await noteSteps(journey, done)
    answer = await done.text
  } catch (error) {
    await agent.recordJourney(journey.to(`failed: ${asError(error).message}`))
    throw error
  }
  await agent.recordJourney(journey.to(answer))
  return done
}
