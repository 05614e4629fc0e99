// The parts of a world that the tests compare with golden files.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

/**
 * Compares a value with a golden file; with UPDATE in the environment it writes the file. The lowest versions of some
 * libraries describe the same form differently: these have files of their own.
 */
export function golden(name, value) {
  const testdata = path.join(import.meta.dirname, 'testdata')
  const own = path.join(testdata, 'lowest', `${name}.json`)
  const file = process.env.LOWEST !== undefined && existsSync(own) ? own : path.join(testdata, `${name}.json`)
  if (process.env.UPDATE !== undefined) writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
  assert.deepEqual(value, JSON.parse(readFileSync(file, 'utf8')))
}

/** An agent's row, its lines and its journeys, without the ids and times, which differ from run to run. */
export async function observed(world, agent) {
  const { worldMap } = await world.getWorldSnapshot()
  const { name, platform, toolNames, assistTools } = worldMap.occupants.find((row) => row.agentId === agent.id)
  return { row: { name, platform, toolNames, assistTools }, lines: await linesOf(world, agent), journeys: await journeysOf(world, agent) }
}

async function linesOf(world, agent) {
  const { interactions } = await (await world.client()).listInteractions({ playerId: agent.id })
  return interactions.map(({ role, text }) => ({ role, text }))
}

/** The steps of an agent's journeys, the oldest first. */
export async function journeysOf(world, agent) {
  const { journeys } = await (await world.client()).listJourneys({ playerId: agent.id })
  return journeys.map(({ journey }) => journey.steps.map(({ type, content, toolName, args, result }) => JSON.parse(JSON.stringify({ type, content, toolName, args, result }))))
}

/** Asks an agent, and returns the answer with its parts. */
export async function askWhole(world, question) {
  const parts = []
  const answer = await world.ask({ ...question, onPartial: (part) => { if (part.status === 'stream') parts.push(part.message) } })
  return { answer, streamed: parts.join('') }
}

/**
 * Asks an agent from another world, waits until its tool waits, and closes the agent's world; returns why the run ended.
 * The tool resolves `waiting` when it runs, and `over` with the reason of the run's signal.
 */
export async function closeWhileAsked({ host, world, agent, question, waiting, over }) {
  const asker = host.world()
  try {
    const asked = asker.ask({ to: agent.id, ...question })
    asked.catch(() => undefined)
    await waiting
    await world.close()
    const reason = await over
    await assert.rejects(asked)
    return reason
  } finally {
    await asker.close()
  }
}
