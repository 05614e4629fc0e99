import { asArray, asObject, asText, jsonOr, member } from '../json/read.js'
import { type ModelUsage, type RunActivity, beginRun, sum, usageIn } from '../tools/activity.js'
import { JourneyRecorder, type Redact, recordTo } from '../tools/recorder.js'
import type { Agent } from '../world/agent.js'
import { answering } from './context.js'
import { argumentsOf } from './items.js'

/** The used members of a trace. */
export interface TraceOfRun {
  readonly traceId: string
  readonly name?: string
}

/** The used members of a span. */
export interface TraceSpan {
  readonly traceId: string
  readonly spanId: string
  readonly spanData: object
  readonly error?: object | null
  readonly startedAt?: string | null
  readonly endedAt?: string | null
}

/** A tracing processor of `@openai/agents`. */
export interface JourneyProcessor {
  readonly onTraceStart: (trace: TraceOfRun) => Promise<void>
  readonly onTraceEnd: (trace: TraceOfRun) => Promise<void>
  readonly onSpanStart: (span: TraceSpan) => Promise<void>
  readonly onSpanEnd: (span: TraceSpan) => Promise<void>
  /** Waits until all traces that have ended are recorded. */
  readonly forceFlush: () => Promise<void>
  /** The same. */
  readonly shutdown: () => Promise<void>
}

/** The options of `journeyProcessor`. */
export interface ProcessorOptions {
  /** Changes a step before everybody in the world sees it, or omits it. */
  readonly redact?: Redact
  /** Shows in the agent's row, which everybody sees, what the runs do, unless it is false. */
  readonly activity?: boolean
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}

/** How many traces are followed at the same time. Further ones are not recorded. */
const mostTraces = 1000

/** A trace that is in progress. */
class Followed {
  /** The question; the trace's name if no span contains it. */
  origin: string
  #answer: string | undefined
  #failed = false
  readonly #notes: ((journey: JourneyRecorder) => void)[] = []
  /** What the model calls used, and what the turns used: spans of model calls may have no usage. */
  #models: ModelUsage = {}
  #turns: ModelUsage = {}

  constructor(name: string, readonly run: RunActivity | undefined) {
    this.origin = name
  }

  /** Notes a span that begins. */
  start({ spanId, spanData }: TraceSpan): void {
    const { type, name } = spanData as Readonly<Record<string, unknown>>
    if (type === 'function') this.run?.called(spanId, String(name))
  }

  /** Notes the data of a span that has ended. */
  end({ spanId, spanData, error, startedAt = null, endedAt = null }: TraceSpan): void {
    const data = spanData as Readonly<Record<string, unknown>>
    const failed = error !== undefined && error !== null
    if (data.type === 'function') {
      this.run?.ended(spanId, failed)
      this.#notes.push((journey) => {
        journey.call(String(data.name), argumentsOf(data.input), spanId, startedAt)
        // The span does not contain the cause of the failure.
        if (failed) journey.failed(spanId, 'failed', endedAt)
        else journey.result(spanId, jsonOr(data.output, data.output), endedAt)
      })
    }
    if (data.type === 'turn') this.#turns = sum([this.#turns, tokensOf(data.usage)])
    if (data.type === 'agent' && failed) this.#failed = true
    if (data.type === 'response' || data.type === 'generation') this.#model(data)
    if (Object.keys(this.used).length > 0) this.run?.used(this.used)
  }

  /** What the models used so far. */
  get used(): ModelUsage {
    return (this.#turns.inputTokens ?? 0) > (this.#models.inputTokens ?? 0) ? this.#turns : this.#models
  }

  /** Shows how the run ended. A failure of the agent's span has a text, which is not shown. */
  over(): void {
    if (this.#failed) this.run?.failed(new Error('failed'))
    else this.run?.done()
  }

  /** Notes a model call, which contains the conversation so far and the model's output. */
  #model(data: Readonly<Record<string, unknown>>): void {
    this.#models = sum([this.#models, tokensOf(data.usage ?? asObject(data._response)?.usage)])
    if (this.#answer === undefined) this.origin = lastText(data._input ?? data.input) ?? this.origin
    const given = member(asObject(data._response), 'output') ?? member(asObject(asArray(data.output)?.at(0)), 'choices') ?? data.output
    this.#answer = lastText(given) ?? this.#answer ?? 'done'
  }

  journey(redact: Redact | undefined) {
    const recorder = new JourneyRecorder(this.origin, redact)
    recorder.used(this.used)
    for (const note of this.#notes) note(recorder)
    return recorder.to(this.#failed ? 'failed' : this.#answer ?? 'done')
  }
}

/**
 * Records a journey of an agent from each trace: `addTraceProcessor(journeyProcessor(ada))`. Runs that answer a question from
 * the world are omitted, since they are already recorded. Tracing must be enabled. The question and the answer are in spans of
 * OpenAI models; without them the journey leads from the trace's name to `done`. A failed call is recorded as `failed`.
 */
export function journeyProcessor(agent: Agent, options: ProcessorOptions = {}): JourneyProcessor {
  const followed = new Map<string, Followed>()
  const recording = new Set<Promise<void>>()
  const flush = async (): Promise<void> => { await Promise.all(recording) }
  return {
    onTraceStart: async ({ traceId, name = 'a run' }) => {
      if (answering.getStore() !== true && followed.size < mostTraces) followed.set(traceId, new Followed(name, options.activity === false ? undefined : beginRun(agent)))
      return Promise.resolve()
    },
    onSpanStart: async (span) => {
      followed.get(span.traceId)?.start(span)
      return Promise.resolve()
    },
    onSpanEnd: async (span) => {
      followed.get(span.traceId)?.end(span)
      return Promise.resolve()
    },
    onTraceEnd: async ({ traceId }) => {
      const trace = followed.get(traceId)
      if (!followed.delete(traceId) || trace === undefined) return
      trace.over()
      const under = recordTo(agent, trace.journey(options.redact), options.onError).finally(() => { recording.delete(under) })
      recording.add(under)
      await under
    },
    forceFlush: flush,
    shutdown: flush,
  }
}

/** Returns the tokens in a usage: of a trace, or of the API. */
function tokensOf(usage: unknown): ModelUsage {
  return usageIn(usage, ['input_tokens'], 'output_tokens')
}

/** Returns the last text in a question, in messages or in a model's output; undefined if there is none. */
function lastText(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  for (const item of [...asArray(given) ?? []].reverse()) {
    const inner = asObject(member(asObject(item), 'message')) ?? asObject(item)
    const text = contentText(inner?.content)
    if (text !== '') return text
  }
  return undefined
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return (asArray(content) ?? []).map((part) => asText(member(asObject(part), 'text')) ?? '').join('')
}
