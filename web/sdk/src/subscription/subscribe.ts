import type { WorldClient } from '../http/client.js'
import { linked } from '../http/wait.js'
import { ClosedError } from '../protocol/errors.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'
import { Follower } from './follower.js'
import type { SubscribeOptions, SubscriptionState, WorldSubscription } from './types.js'

const optionNames: OptionNames<SubscribeOptions> = {
  onSnapshot: true, onEvent: true, onChecked: true, onState: true, onError: true, after: true, verify: true, inline: true, reconnect: true, silenceMs: true,
  mayAnswer: true, headersTimeoutMs: true, signal: true,
}

class Subscription implements WorldSubscription {
  readonly done: Promise<void>
  readonly #follower: Follower
  readonly #ending = new AbortController()

  constructor(client: WorldClient, options: SubscribeOptions) {
    const { signal } = options
    const unlink = linked(this.#ending, signal)
    this.#follower = new Follower(client, options, this.#ending.signal)
    this.done = this.#follower.run().finally(() => {
      unlink()
    })
  }

  get state(): SubscriptionState {
    return this.#follower.reporter.state
  }

  reconnect(force?: boolean): void {
    this.#follower.hurry(force)
  }

  async close(): Promise<void> {
    this.#ending.abort(new ClosedError('the subscription was closed'))
    await this.done
  }
}

/**
 * Follows a world: it keeps a copy that is verified against the host's root
 * after every event, and repairs it if it differs from the host's world. It returns
 * immediately; the first full read is reported when it is complete. It works for any
 * caller, including one with only a cookie.
 */
export function subscribeWorld(client: WorldClient, options: SubscribeOptions = {}): WorldSubscription {
  checkOptions('subscribeWorld', options, optionNames)
  return new Subscription(client, options)
}
