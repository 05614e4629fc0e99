import { subscribeWorld } from '../src/index.js'
import type { RegisterRequest, SubscribeOptions, SubscriptionState, WorldClient, WorldEvent, WorldUpdate } from '../src/index.js'
import { Told } from './host.js'

/** A subscription with everything that it tells. */
export function follow(client: WorldClient, options: SubscribeOptions = {}) {
  const updates = new Told<WorldUpdate>()
  const events = new Told<WorldEvent>()
  const states = new Told<SubscriptionState>()
  const errors = new Told<Error>()
  const sub = subscribeWorld(client, {
    ...options, onSnapshot: updates.tell, onEvent: events.tell, onState: states.tell, onError: errors.tell,
  })
  return { updates, events, states, errors, sub }
}

/** What puts an agent on a map without a repository. */
export function registration(agentId: string, name = agentId): RegisterRequest {
  return { name, type: 't', agentId, agent: { type: 't', toolNames: ['chat_tool'] } }
}
