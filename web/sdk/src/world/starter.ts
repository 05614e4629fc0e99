import type { AsyncLocalStorage } from 'node:async_hooks'
import { currentProcess } from './account_file.js'
import type { Agent } from './agent.js'

/** A run of an agent. */
interface Run {
  readonly agent: Agent
  readonly inProgress: boolean
}

let runs: AsyncLocalStorage<Run> | undefined

/** Runs a function as part of a run: agents that start in it were started by the run's agent. Browsers only run the function. */
export function duringRun<T>(run: Run, work: () => T): T {
  const hooks = currentProcess()?.getBuiltinModule?.('node:async_hooks')
  if (hooks === undefined) return work()
  runs ??= new hooks.AsyncLocalStorage()
  return runs.run(run, work)
}

/**
 * Returns the id of the agent that starts another one here, which is the one whose run this is part of; undefined if no run is
 * in progress, if its agent is not in the same world, or if the other one is itself among the agents that started it.
 */
export function starterOf(agentId: string, find: (agentId: string) => Agent | undefined): string | undefined {
  const run = runs?.getStore()
  if (run?.inProgress !== true || find(run.agent.playerId) !== run.agent) return undefined
  const above = new Set<string>()
  for (let next: string | undefined = run.agent.playerId; next !== undefined && !above.has(next); next = find(next)?.parentId) above.add(next)
  return above.has(agentId) ? undefined : run.agent.playerId
}
