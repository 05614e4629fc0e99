import type { WorldClient } from '../http/client.js'
import type { IntercomCommand, JsonObject } from '../protocol/contract.js'
import type { OptionNames } from '../protocol/options.js'
import type { Agent } from './agent.js'

/** An agent's answer, or a part of it. */
export interface IntercomAnswer {
  /** The text of the answer. */
  readonly message?: string
  /** A JSON object of at most 64 KiB. */
  readonly result?: JsonObject
}

/** An agent that receives commands, as far as its answers need it. @internal */
export interface Receiver {
  readonly client: WorldClient
}

/** A command that an executor carries out. */
export interface IntercomCall<A = Agent> {
  /** The command: `toPlayerId` is the agent, `fromPlayerId` the asker. */
  readonly command: IntercomCommand
  /** The agent that received the command. */
  readonly agent: A
  /**
   * Ends when the command no longer needs an answer. Its reason is an
   * `AnsweredError`, a `TookTooLongError`, or a `ClosedError` if the
   * subscription ends.
   */
  readonly signal: AbortSignal
  /** Sends a part of the answer, which restarts the host's limit of `limits.maxIntercomSilenceSeconds`. It need not be awaited. */
  readonly stream: (part: IntercomAnswer) => Promise<void>
}

/** The options of `subscribeIntercomCommands`. */
export interface IntercomOptions<A = Agent> {
  /**
   * Carries out one command; several run at the same time. A text is the same as an answer
   * with that message. The message of a `ToolError` that it throws goes to the asker.
   * Any other error goes to `onError`, and the reply states only that the agent failed.
   */
  readonly execute: (call: IntercomCall<A>) => Promise<IntercomAnswer | string> | IntercomAnswer | string
  /** The agents whose commands are carried out; by default every agent of the world when a command arrives. */
  readonly agents?: readonly A[]
  /** The time limit of one command, in milliseconds; by default 20 s less than `limits.maxIntercomSilenceSeconds`, after which the host gives up without an answer. */
  readonly timeoutMs?: number
  /** How many commands are carried out at the same time; 16 by default. 1,024 others may wait, further ones get an error. A command that exceeds its time limit no longer counts. */
  readonly concurrency?: number
  /** Called for errors, with the command of the error if there is one; errors are printed unless it is given. The subscription continues. */
  readonly onError?: (error: Error, command?: IntercomCommand) => void | Promise<void>
}

/** The names of the options of `subscribeIntercomCommands`. @internal */
export const intercomOptions: OptionNames<IntercomOptions> = { execute: true, agents: true, timeoutMs: true, concurrency: true, onError: true }

/** A subscription that carries out commands until it is closed. */
export interface IntercomSubscription {
  /**
   * Resolves when the host's stream opens for the first time: commands that
   * are sent from then on are carried out. At a host of the agent-play service, which may
   * not confirm that the stream is open, it resolves after half a second at the latest. It
   * also resolves at the end of the subscription, if the stream never opened.
   */
  readonly ready: Promise<void>
  /** Resolves when the subscription has ended. */
  readonly done: Promise<void>
  /** Ends the subscription, and waits until its answers are sent. May be called again. */
  close(): Promise<void>
}
