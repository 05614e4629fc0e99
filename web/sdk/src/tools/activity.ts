import { asNumber, asObject } from '../json/read.js'
import { ClosedError } from '../protocol/errors.js'
import type { Usage } from '../protocol/contract.js'
import type { Agent } from '../world/agent.js'

/** What models used: tokens, and the cost if a framework reports it. */
export type ModelUsage = Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>

const usageNames = ['inputTokens', 'outputTokens', 'costUsd', 'toolCalls', 'errors'] as const

/** How many calls of one run are followed at the same time. */
const mostCalls = 1000

/** A call of a tool that runs, or that waits for a person. */
interface Call {
  readonly toolName: string | undefined
  /** Grows from call to call. */
  readonly order: number
}

let calls = 0

/** One run of an agent, as its row shows it. The first of `done` and `failed` ends it. */
export class RunActivity {
  readonly running = new Map<string, Call>()
  readonly waiting = new Map<string, Call>()
  /** The calls that ended: some frameworks report an end twice. */
  readonly #ended = new Set<string>()
  usage: Usage = { toolCalls: 0, errors: 0 }

  constructor(readonly workload: Workload) {}

  /** The agent that runs. */
  get agent(): Agent {
    return this.workload.agent
  }

  /** False once `done` or `failed` has ended the run. */
  get inProgress(): boolean {
    return this.workload.has(this)
  }

  /** A tool begins. */
  called(id: string, toolName: string): void {
    this.waiting.delete(id)
    this.#ended.delete(id)
    if (this.running.size < mostCalls) this.running.set(id, { toolName, order: calls++ })
    this.workload.show()
  }

  /** A tool ended. */
  ended(id: string, failed: boolean): void {
    this.running.delete(id)
    this.waiting.delete(id)
    if (this.#ended.has(id)) return
    if (this.#ended.size < mostCalls) this.#ended.add(id)
    this.usage = sum([this.usage, { toolCalls: 1, errors: failed ? 1 : 0 }])
    this.workload.show()
  }

  /** The run waits for a person: for the approval of a tool, or for an answer. */
  waits(id: string, toolName?: string): void {
    if (this.waiting.size < mostCalls) this.waiting.set(id, { toolName: toolName ?? this.waiting.get(id)?.toolName, order: calls++ })
    this.workload.show()
  }

  /** A person answered; without an id everything that the run waited for. */
  answered(id?: string): void {
    if (id === undefined) this.waiting.clear()
    else this.waiting.delete(id)
    this.workload.show()
  }

  /** A call does not run, because it was denied or waits for a person. */
  dropped(id: string): void {
    this.running.delete(id)
    this.answered(id)
  }

  /** Replaces what models used in the run. */
  used(usage: ModelUsage): void {
    this.usage = { ...this.usage, ...usage }
    this.workload.show()
  }

  /** The run ended well, unless it waits for a person: then somebody continues it later. */
  done(): void {
    this.workload.end(this, undefined)
  }

  /** The run failed or was aborted; only the error's type is shown. */
  failed(error: unknown): void {
    this.workload.end(this, typeOf(error))
  }
}

/** The runs of an agent that are in progress, and how they appear together in its row. */
class Workload {
  readonly #runs = new Set<RunActivity>()
  /** What runs used that ended while others were in progress. */
  #used: Usage = {}

  constructor(readonly agent: Agent) {}

  has(run: RunActivity): boolean {
    return this.#runs.has(run)
  }

  begin(): RunActivity {
    if (this.#runs.size === 0) this.#used = {}
    const run = new RunActivity(this)
    this.#runs.add(run)
    this.show()
    return run
  }

  end(run: RunActivity, failure: string | undefined): void {
    if (!this.#runs.delete(run)) return
    this.#used = sum([this.#used, run.usage])
    if (this.#runs.size > 0) this.show()
    else if (run.waiting.size > 0) this.#set([run])
    else this.#tell((usage) => { this.agent.show(failure === undefined ? 'done' : 'failed', failure, { usage }) })
  }

  /** Shows the runs: an open wait for a person, otherwise the newest tool that is running. */
  show(): void {
    if (this.#runs.size > 0) this.#set([...this.#runs])
  }

  #set(runs: readonly RunActivity[]): void {
    const waits = newest(runs.map(({ waiting }) => waiting))
    const call = waits ?? newest(runs.map(({ running }) => running))
    const tool = call?.toolName === undefined ? {} : { toolName: call.toolName }
    this.#tell((usage) => {
      if (waits === undefined) this.agent.show('working', undefined, { ...tool, usage })
      else this.agent.show('waiting', waits.toolName === undefined ? 'Waits for an answer' : `Approve ${waits.toolName}`, { ...tool, usage })
    })
  }

  /** Sets the activity; an agent that has left has none. */
  #tell(set: (usage: Usage) => void): void {
    try {
      set(sum([this.#used, ...[...this.#runs].map(({ usage }) => usage)]))
    } catch (error) {
      if (!(error instanceof ClosedError)) throw error
    }
  }
}

const workloads = new WeakMap<Agent, Workload>()

/** Begins a run of an agent in its row. If it is part of another agent's run, that agent started this one. */
export function beginRun(agent: Agent): RunActivity {
  agent.showStarter()
  return beginAnswer(agent)
}

/** Begins a run that answers a question: no agent started it, wherever the question arrives. */
export function beginAnswer(agent: Agent): RunActivity {
  const workload = workloads.get(agent) ?? new Workload(agent)
  workloads.set(agent, workload)
  return workload.begin()
}

/** Returns what a framework says that models used, by its names for the numbers; without valid ones it is empty. */
export function usageIn(given: unknown, inputs: readonly string[], output: string): ModelUsage {
  const object = asObject(given)
  const numbers = (names: readonly string[]) => names.flatMap((name) => countOf(object?.[name]) ?? [])
  return { ...total('inputTokens', numbers(inputs)), ...total('outputTokens', numbers([output])) }
}

/** Returns a number that can be counted; undefined for any other value. */
export function countOf(value: unknown): number | undefined {
  const number = asNumber(value)
  return number !== undefined && number >= 0 ? number : undefined
}

/** Returns the sum of several usages; what none of them knows stays unknown. */
export function sum(usages: readonly Usage[]): Usage {
  return Object.assign({}, ...usageNames.map((name) => total(name, usages.flatMap((usage) => usage[name] ?? [])))) as Usage
}

function total(name: string, numbers: readonly number[]): Usage {
  return numbers.length === 0 ? {} : { [name]: numbers.reduce((all, number) => all + number, 0) }
}

function newest(lists: readonly ReadonlyMap<string, Call>[]): Call | undefined {
  return lists.flatMap((list) => [...list.values()]).sort((one, other) => one.order - other.order).at(-1)
}

/** Returns the type of an error. Its message may hold what nobody else should read. */
function typeOf(error: unknown): string {
  const { name, constructor } = error instanceof Error ? error : new Error()
  const type = name === 'Error' ? constructor.name : name
  return /^[\w.$]{1,64}$/u.test(type) ? type : 'Error'
}
