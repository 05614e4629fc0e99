import type { NodeCredentials } from '../credentials/resolve.js'
import type { AddAgentOptions, Agent } from '../world/agent.js'
import type { RemotePlayWorldOptions as WorldOptions } from '../world/options.js'
import type { RegisteredAgent, WorldSnapshot } from '../protocol/contract.js'
import type { WorldEvent } from '../protocol/events.js'

/** What makes a `RemotePlayWorld`. `passw` of credentials may be a phrase, which is hashed here and never sent. Without credentials those of `~/.agent-play/credentials.json` are taken, then those that `connect` of the main entry finds. */
export interface RemotePlayWorldOptions extends Partial<WorldOptions> {
  /** `on` prints each event and what goes wrong. */
  readonly logging?: 'on' | 'off'
  /** Called for each event of the session once the world is connected. */
  readonly onSessionEvent?: (event: WorldEvent) => void | Promise<void>
}

/** What puts an agent on the map. */
export interface AddAgentInput extends Omit<AddAgentOptions, 'credentials'> {
  /** The agent's node id. */
  readonly nodeId?: string
  /** The older name of `nodeId`. */
  readonly agentId?: string
  /** The agent's own phrase; without it the main node speaks for the agent. */
  readonly agentPassphrase?: string
  readonly credentials?: NodeCredentials
}

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
  /** The same agent with what this package has in addition. */
  readonly agent: Agent
}

/** What `subscribeWorldState` calls. */
export interface SnapshotCallbacks {
  /** Called with the whole world after the first read and after each change. */
  readonly onSnapshot: (snapshot: WorldSnapshot) => void | Promise<void>
  /** Called for what goes wrong; printed unless it is given. */
  readonly onError?: (error: Error) => void | Promise<void>
}
