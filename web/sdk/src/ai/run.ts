import { asObject, asText } from '../json/read.js'
import { asError } from '../protocol/callback.js'
import { beginRun, usageIn } from '../tools/activity.js'
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
  /** The call that waits for an approval. */
  readonly toolCall?: unknown
  /** True if a rule of the program approves or denies the call. */
  readonly isAutomatic?: unknown
  readonly usage?: unknown
}

/** The members of a step that are used here. */
interface RunStep {
  readonly content: readonly unknown[]
  readonly usage?: unknown
}

/** The members of the result of `generateText`, `streamText` or an agent's method that are used here. */
export interface AiRun {
  readonly steps: PromiseLike<readonly RunStep[]> | readonly RunStep[]
  readonly text: PromiseLike<string> | string
}

/** The options of `recordRun`. */
export interface RunOptions {
  /** Changes a step before everybody in the world sees it, or omits it. */
  readonly redact?: Redact
  /** Shows in the agent's row, which everybody sees, that it works, and how the run ended, unless it is false. */
  readonly activity?: boolean
}

/** Notes a tool call, its result, a wait for an approval or what a step used. The time is null if the part is of a run that has ended. */
export function note(journey: JourneyRecorder, part: RunPart, time?: null): void {
  const id = String(part.toolCallId)
  switch (part.type) {
    case 'tool-call':
      journey.call(String(part.toolName), part.input, id, time)
      break
    case 'tool-result':
      if (part.preliminary !== true) journey.result(id, part.output, time)
      break
    case 'tool-error':
      journey.failed(id, part.error, time)
      break
    case 'tool-approval-request':
      if (part.isAutomatic !== true) waits(journey, part.toolCall)
      break
    case 'tool-output-denied':
      journey.run?.dropped(id)
      break
    case 'finish-step':
      journey.uses(usageIn(part.usage, ['inputTokens'], 'outputTokens'))
  }
}

function waits({ run }: JourneyRecorder, call: unknown): void {
  const given = asObject(call)
  const id = asText(given?.toolCallId) ?? ''
  run?.dropped(id)
  run?.waits(id, asText(given?.toolName))
}

/** Records all tool calls of a finished run. */
export async function noteSteps(journey: JourneyRecorder, run: AiRun): Promise<void> {
  for (const { content, usage } of await run.steps) {
    for (const part of content) note(journey, part as RunPart, null)
    note(journey, { type: 'finish-step', usage })
  }
}

/**
 * Records a journey of an agent from a run that the world did not start, and returns the run:
 * `await recordRun(ada, prompt, agent.generate({ prompt }))`. A run that fails is recorded up to the failure, and its error is thrown.
 * A journey that cannot be recorded is an error as well.
 */
export async function recordRun<Run extends AiRun>(agent: Agent, prompt: string, run: PromiseLike<Run> | Run, options: RunOptions = {}): Promise<Run> {
  const activity = options.activity === false ? undefined : beginRun(agent)
  const journey = new JourneyRecorder(prompt, options.redact, activity)
  let done, answer
  try {
    done = await run
    await noteSteps(journey, done)
    answer = await done.text
    activity?.done()
  } catch (error) {
    activity?.failed(error)
    await agent.recordJourney(journey.to(`failed: ${asError(error).message}`))
    throw error
  }
  await agent.recordJourney(journey.to(answer))
  return done
}
