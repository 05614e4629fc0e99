/**
 * The world as state of React components.
 *
 * @packageDocumentation
 */
import { useSyncExternalStore } from 'react'
import type { WorldClient } from '../http/client.js'
import { subscribeWorld } from '../subscription/subscribe.js'
import type { SubscriptionState, WorldSubscription } from '../subscription/types.js'

/** One subscription for all components that show the same world. */
class SharedWorld {
  #subscription: WorldSubscription | undefined
  #state: SubscriptionState = unread
  readonly #listeners = new Set<() => void>()

  constructor(readonly client: WorldClient) {}

  readonly state = (): SubscriptionState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    this.#subscription ??= this.#open()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      void this.#subscription?.close()
      this.#subscription = undefined
      this.#state = unread
    }
  }

  #open(): WorldSubscription {
    const changed = () => {
      if (this.#subscription !== subscription) return
      this.#state = subscription.state
      for (const listener of this.#listeners) listener()
    }
    const subscription = subscribeWorld(this.client, { onSnapshot: changed, onState: changed })
    return subscription
  }
}

const unread: SubscriptionState = {
  verification: 'unread', connected: false,
  stats: { events: 0, merges: 0, verifications: 0, fullReads: 0, mismatches: 0, heals: 0, reconnects: 0, rollbacks: 0 },
}

const worlds = new WeakMap<WorldClient, SharedWorld>()

/**
 * Follows a world for as long as a component shows it, and renders the component again after every change of the map or
 * the connection. Components with the same client share one connection. Create the client once, outside the component:
 * `createClient({ baseUrl: location.origin, credentials: { cookie: true } })`, or `await world.client()`.
 */
export function useWorld(client: WorldClient): SubscriptionState {
  let world = worlds.get(client)
  if (world === undefined) {
    world = new SharedWorld(client)
    worlds.set(client, world)
  }
  return useSyncExternalStore(world.subscribe, world.state, () => unread)
}
