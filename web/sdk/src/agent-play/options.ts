import type { OptionNames } from '../protocol/options.js'
import type { Agent } from '../world/agent.js'
import { type RemotePlayWorldOptions as WorldOptions, worldOptions } from '../world/options.js'
import type { RegisteredAgent, WorldSnapshot } from '../protocol/contract.js'
import type { WorldEvent } from '../protocol/events.js'

/** The options of a `RemotePlayWorld`. `passw` of credentials may be a phrase, which is hashed here and never sent. Without credentials it uses those of `~/.agent-play/credentials.json`, else those that `connect` of the main entry finds. */
export interface RemotePlayWorldOptions extends Partial<WorldOptions> {
  /** `on` prints each event and each error. */
  readonly logging?: 'on' | 'off'
  /** Called for each event of the session once the world is connected. */
  readonly onSessionEvent?: (event: WorldEvent) => void | Promise<void>
}

/** The names of the options of a `RemotePlayWorld`. @internal */
export const playWorldOptions: OptionNames<RemotePlayWorldOptions> = { ...worldOptions, logging: true, onSessionEvent: true }

/** An agent on the map. */
export interface RegisteredPlayer {
  readonly id: string
  readonly name: string
  readonly sid: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The address of the page that shows the world. */
  readonly previewUrl: string
  readonly registeredAgent: RegisteredAgent
  /** The same agent as an object of the main entry, with its further methods. */
  readonly agent: Agent
}

/** The callbacks of `subscribeWorldState`. */
export interface SnapshotCallbacks {
  /** Called with the whole world after the first read and after each change. */
  readonly onSnapshot: (snapshot: WorldSnapshot) => void | Promise<void>
  /** Called for errors; they are printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}
