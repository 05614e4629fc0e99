// The states of an agent as the world shows them, for tests that compare them with golden files.
import assert from 'node:assert/strict'
import { isEvent, pastEvents, stableKeyOf } from '@playctl/sdk'

/** An activity without its time. The cost depends on the version of the framework. */
const shown = ({ since: _since, usage, ...activity }) => ({ ...activity, ...(usage && { usage: { ...usage, ...(usage.costUsd !== undefined && { costUsd: 'a number' }) } }) })

const activitiesIn = (events, playerId) => events.filter((event) => isEvent(event, 'world:activity') && event.data.playerId === playerId).map(({ data }) => shown(data.activity))

/**
 * The activities without what depends on the speed of the machine: a tool that begins just before another or before its approval is
 * requested, the tokens of a run in progress, and what a run used that was aborted.
 */
export function settled(activities) {
  const last = activities.filter(({ toolName, usage }, i) => {
    const next = activities[i + 1]
    return toolName === undefined || next?.toolName === undefined || next.usage.toolCalls !== usage.toolCalls
  })
  return last.map(({ usage, ...activity }) => {
    if (usage === undefined || activity.state === 'failed') return activity
    const { toolCalls, errors } = usage
    return { ...activity, usage: activity.state === 'done' ? usage : { toolCalls, errors } }
  })
}

/** Follows what the agents of a world do. */
export async function follow(world) {
  const events = []
  let waiting = []
  const added = (event) => {
    events.push(event)
    for (const look of waiting.splice(0)) look()
  }
  await world.subscribeEvents({ after: 0, onEvent: added, onError: () => undefined })
  const until = async (find) => {
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      await new Promise((resolve) => { waiting.push(resolve) })
    }
  }
  return {
    /** The activities of an agent so far. */
    of: (agent) => activitiesIn(events, agent.playerId),
    /** Waits until the newest activity of an agent is one. */
    until: async (agent, wanted) => until(() => {
      const last = activitiesIn(events, agent().playerId).at(-1)
      return last !== undefined && wanted(last) ? last : undefined
    }),
    /** Waits for a question to an agent, and answers it in the agent's place, which ends the agent's run. */
    answerFor: async (agent) => {
      const { data: { command } } = await until(() => events.findLast(({ data }) => data.command?.toPlayerId === agent.playerId && data.status === 'forwarded'))
      const { requestId, mainNodeId, kind, fromPlayerId, toPlayerId } = command
      await agent.client.intercomResponse({ requestId, mainNodeId, kind, fromPlayerId: toPlayerId, toPlayerId: fromPlayerId, status: 'failed', error: 'stopped', ts: new Date().toISOString() })
    },
  }
}

/** The activities of an agent that a host lists. */
export async function listed(world, agent) {
  const client = await world.client()
  const { seq } = await client.session()
  return activitiesIn((await pastEvents(client, { before: seq + 1, limit: seq })).events, agent.playerId)
}

/** Requires that the host proves each activity of an agent in the row of its rev. */
export async function provedAtRevs(world, agent) {
  const client = await world.client()
  const { seq } = await client.session()
  const stableKey = stableKeyOf({ kind: 'agent', nodeId: client.nodeId, agentId: agent.playerId })
  let count = 0
  for (let last = 0; last < seq;) {
    const { events, lastSeq } = await client.listEvents({ afterSeq: last, limit: 100 })
    last = lastSeq
    for (const { event, rev, data } of events) {
      if (event !== 'world:activity' || data.playerId !== agent.playerId) continue
      const { node } = await client.playerChainNode(stableKey, { atRev: rev })
      assert.deepEqual(node.occupant.activity, data.activity)
      count += 1
    }
  }
  return count
}
