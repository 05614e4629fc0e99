import type { WorldClient } from '../http/client.js'
import { type AgentProgram, carryOut, registrationOf } from '../tools/program.js'
import { unlessEnded } from '../http/wait.js'
import { callBack, reportTo } from '../protocol/callback.js'
import type { Agent } from './agent.js'
import { IntercomListener } from './intercom.js'
import { isFinal } from './lease.js'

/** An agent with its program. */
interface Running {
  readonly agent: Agent
  program: AgentProgram
  /** Ends the program's `follow`. */
  end: () => void
}

/** The agents of a world that have a program, and the streams that deliver their questions: one for all if the main node reads it. */
export class Programs {
  readonly #byId = new Map<string, Running>()
  /** How many registrations of an id are in progress. */
  readonly #expected = new Map<string, number>()
  readonly #listeners = new Map<WorldClient, IntercomListener>()

  constructor(readonly keep: (listener: IntercomListener) => IntercomListener, readonly answersFor: () => string) {}

  /** Reports whether an agent has a program, also while its registration is in progress. */
  has(playerId: string): boolean {
    return this.#byId.has(playerId) || this.#expected.has(playerId)
  }

  /** Listens for questions that a client can read, and waits until the stream is open, unless the host refuses it or a signal ends the wait with its reason. */
  async listen(source: WorldClient, signal?: AbortSignal): Promise<void> {
    let listener = this.#listeners.get(source)
    if (listener === undefined) {
      listener = this.#open(source)
      this.#listeners.set(source, listener)
    }
    try {
      await unlessEnded(listener.ready, signal)
    } catch (error) {
      if (isFinal(error)) this.#end(source)
      throw error
    }
  }

  /** Registers an agent and its program, which answers from the first question on. */
  async add(playerId: string, program: AgentProgram, register: () => Promise<Agent>): Promise<Agent> {
    this.#expected.set(playerId, (this.#expected.get(playerId) ?? 0) + 1)
    try {
      const agent = await register()
      const before = this.#byId.get(playerId)
      this.#byId.set(playerId, running(agent, program))
      if (before !== undefined) this.#release(before)
      if (program.activity !== false) agent.show('idle')
      return agent
    } finally {
      const left = (this.#expected.get(playerId) ?? 1) - 1
      if (left > 0) this.#expected.set(playerId, left)
      else this.#expected.delete(playerId)
      for (const listener of this.#listeners.values()) listener.arrived()
    }
  }

  /** Removes an agent that has left. */
  remove(agent: Agent): void {
    const held = this.#byId.get(agent.playerId)
    if (held?.agent !== agent) return
    this.#byId.delete(agent.playerId)
    this.#release(held)
  }

  /** Ends the `follow` of an agent that has left or was replaced, and its stream if no other agent needs it. */
  #release({ agent: { client }, program, end }: Running): void {
    callBack(end, (error) => { reportTo(program.onError, error) })
    if (![...this.#byId.values()].some(({ agent }) => agent.client === client)) this.#end(client)
  }

  /** Ends the stream of a client. */
  #end(client: WorldClient): void {
    const listener = this.#listeners.get(client)
    this.#listeners.delete(client)
    void listener?.close()
  }

  #open(source: WorldClient): IntercomListener {
    return this.keep(new IntercomListener([source], {
      execute: async (call) => {
        const { program = {} } = this.#byId.get(call.agent.playerId) ?? {}
        return carryOut(program, call)
      },
      onError: (error, command) => {
        const onError = this.#byId.get(command?.toPlayerId ?? '')?.program.onError
        reportTo(onError === undefined ? undefined : (reported) => onError(reported, command), error)
      },
    }, [this.answersFor()], (id) => this.#byId.get(id)?.agent, (id) => this.#expected.has(id)))
  }
}

/** Starts the `follow` of an agent's program, which may change the program from now on. */
function running(agent: Agent, program: AgentProgram): Running {
  const state: Running = { agent, program, end: () => undefined }
  state.end = program.follow?.((next) => {
    const registration = registrationOf(next)
    // A tool must be available before the row shows it.
    state.program = next
    agent.change(registration)
  }, agent) ?? state.end
  return state
}
