import { subscribeWorld } from '../src/index.js'
import type { RegisterRequest, SubscribeOptions, SubscriptionState, WorldClient, WorldEvent, WorldUpdate } from '../src/index.js'
import { Reports } from './host.js'

/**
 * Returns a subscription with all its reports. It waits for the stream's headers even if the
 * machine is busy: without them it would read the world more often.
 */
export function follow(client: WorldClient, options: SubscribeOptions = {}) {
  const updates = new Reports<WorldUpdate>()
  const events = new Reports<WorldEvent>()
  const states = new Reports<SubscriptionState>()
  const errors = new Reports<Error>()
  const sub = subscribeWorld(client, {
    headersTimeoutMs: 60_000, ...options, onSnapshot: updates.add, onEvent: events.add, onState: states.add, onError: errors.add,
  })
  return { updates, events, states, errors, sub }
}

/** Returns a registration of an agent for a host without a repository. */
export function registration(agentId: string, name = agentId): RegisterRequest {
  return { name, type: 't', agentId, agent: { type: 't', toolNames: ['chat_tool'] } }
}
