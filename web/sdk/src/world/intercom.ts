import type { WorldClient } from '../http/client.js'
import { ClosedError, OptionError } from '../protocol/errors.js'
import type { IntercomCommand } from '../protocol/contract.js'
import { type WorldEvent, isEvent } from '../protocol/events.js'
import { asObject, asText, member } from '../json/read.js'
import { reportTo } from '../protocol/callback.js'
import { headersTimeoutMs } from '../stream/stream.js'
import type { Agent } from './agent.js'
import { type EventSubscription, subscribeEvents } from './events.js'
import { CommandRun } from './intercom_run.js'
import { isFinal } from './lease.js'
import type { IntercomOptions, IntercomSubscription, Receiver } from './intercom_types.js'

/** How many request ids are remembered: a host that numbers no events may repeat a request. */
const rememberedRequests = 1 << 14

/** How many commands may wait for the replies to registrations. */
const mostEarly = 256

/** How many commands may wait while others are executed; further ones fail immediately. */
const mostWaiting = 1024

/** Reads commands from streams and executes each once. With `expects` they are commands to programs of agents, for which the host must not refuse the streams. */
export class IntercomListener<A extends Receiver = Agent> implements IntercomSubscription {
  /** Ends when the streams are open, for programs of agents also with the host's refusal of a stream that was not open yet. */
  readonly ready: Promise<void>
  readonly done: Promise<void>
  readonly #options: IntercomOptions<A>
  readonly #agentOf: (id: string) => A | undefined
  readonly #streams: readonly EventSubscription[]
  readonly #seen = new Set<string>()
  readonly #open = new Map<string, CommandRun<A>>()
  readonly #running = new Set<Promise<void>>()
  readonly #waiting = new Set<CommandRun<A>>()
  /** Commands to agents whose registration is still in progress. */
  #early: WorldEvent[] = []
  #active = 0

  constructor(
    sources: readonly WorldClient[], options: IntercomOptions<A>, answersFor: readonly string[], agentOf: (id: string) => A | undefined,
    readonly expects?: (id: string) => boolean,
  ) {
    check(options)
    this.#options = options
    this.#agentOf = agentOf
    let opened = (): void => undefined
    let refused: (error: Error) => void = () => undefined
    this.ready = new Promise((resolve, reject) => {
      opened = resolve
      refused = reject
    })
    this.ready.catch(() => undefined)
    let opening = sources.length
    this.#streams = sources.map((source) => {
      let late: ReturnType<typeof setTimeout> | undefined
      let first = true
      const open = () => {
        clearTimeout(late)
        if (first && --opening === 0) opened()
        first = false
      }
      if (source.transport.service !== 'play') late = setTimeout(open, headersTimeoutMs)
      return subscribeEvents(source, {
        kinds: ['world:intercom'],
        answersFor,
        onEvent: (event) => { this.#event(event) },
        onError: (error) => {
          if (expects !== undefined && opening > 0 && isFinal(error)) refused(error)
          else this.#wrong(error)
        },
        onOpen: open,
      })
    })
    this.done = this.#end().then(opened)
  }

  async close(): Promise<void> {
    const streams = this.#streams.map(async (stream) => stream.close())
    for (const run of this.#open.values()) run.end(new ClosedError('the agent is leaving'))
    await Promise.all(streams)
    await this.done
  }

  async #end(): Promise<void> {
    await Promise.all(this.#streams.map(async (stream) => stream.done))
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #event(event: WorldEvent): void {
    if (!isEvent(event, 'world:intercom')) return
    const { status, requestId } = event.data
    if (status === 'completed' || status === 'failed') this.#answered(requestId)
    if (status !== 'forwarded') return
    const agent = this.#agentOf(event.data.fromPlayerId)
    if (agent === undefined) {
      // Otherwise another program of the account runs the agent.
      if (this.expects?.(event.data.fromPlayerId) === true && this.#early.length < mostEarly) this.#early.push(event)
      return
    }
    const command = asObject(event.data.command)
    const complete = ['requestId', 'mainNodeId', 'fromPlayerId', 'toPlayerId', 'kind'].every((name) => asText(member(command, name)))
    if (!complete || command === undefined) {
      this.#wrong(new Error(`the command ${requestId} cannot be read`))
      return
    }
    if (this.#known(requestId)) return
    const run = new CommandRun(command as unknown as IntercomCommand, agent, this.#options)
    this.#open.set(requestId, run)
    if (this.#waiting.size < mostWaiting) {
      this.#waiting.add(run)
      this.#next()
    } else {
      run.end(new Error('the agent has too much to do: ask it again later'))
      this.#begin(run, () => undefined)
    }
  }

  /** Ends a command that was answered, and removes it if it has not started. */
  #answered(requestId: string): void {
    const run = this.#open.get(requestId)
    if (run === undefined) return
    run.answered()
    if (this.#waiting.delete(run)) this.#open.delete(requestId)
  }

  /** Executes the commands to an agent that arrived before its registration was complete. */
  arrived(): void {
    const early = this.#early
    this.#early = []
    for (const event of early) this.#event(event)
  }

  #wrong(error: Error): void {
    reportTo(this.#options.onError, error)
  }

  /** Remembers a request, and reports whether it was already known. */
  #known(requestId: string): boolean {
    if (this.#seen.has(requestId)) return true
    this.#seen.add(requestId)
    const [oldest] = this.#seen
    if (this.#seen.size > rememberedRequests && oldest !== undefined) this.#seen.delete(oldest)
    return false
  }

  /** Starts waiting commands up to the concurrency limit. */
  #next(): void {
    while (this.#active < (this.#options.concurrency ?? 16)) {
      const [run] = this.#waiting
      if (run === undefined) return
      this.#waiting.delete(run)
      this.#active++
      this.#begin(run, () => {
        this.#active--
        this.#next()
      })
    }
  }

  #begin(run: CommandRun<A>, done: () => void): void {
    const running = run.carryOut().finally(() => {
      this.#open.delete(run.command.requestId)
      this.#running.delete(running)
      done()
    })
    this.#running.add(running)
  }
}

/** Checks the options. Programs without types may pass any value. */
function check<A>({ execute, timeoutMs = 1, concurrency = 1 }: Partial<IntercomOptions<A>>): void {
  if (typeof execute !== 'function') throw new OptionError('execute is not a function: set the function that runs commands')
  if (!(timeoutMs > 0)) throw new OptionError('timeoutMs must be more than 0')
  if (!(concurrency >= 1)) throw new OptionError('concurrency must be at least 1')
}
