import type { IntercomCommand, JsonObject } from '../protocol/contract.js'
import type { Agent } from './agent.js'

/** What an agent answers, as a whole or in part. */
export interface IntercomAnswer {
  /** What it says. */
  readonly message?: string
  /** A JSON object of at most 64 KiB. */
  readonly result?: JsonObject
}

/** A command on its way through an executor. */
export interface IntercomCall {
  /** What was asked: `toPlayerId` is the agent, `fromPlayerId` the asker. */
  readonly command: IntercomCommand
  /** The one that was asked. */
  readonly agent: Agent
  /**
   * Ends when the command needs no answer any more. Its reason is an
   * `AnsweredError`, a `TookTooLongError`, or a `ClosedError` if the
   * subscription ends.
   */
  readonly signal: AbortSignal
  /** Sends a part of the answer, which starts the host's 120 s again. It need not be awaited. */
  readonly stream: (part: IntercomAnswer) => Promise<void>
}

/** Whose commands are carried out, and how. */
export interface IntercomOptions {
  /**
   * Carries one command out; several run at the same time. A text is as good as an answer
   * with that message. The message of a `ToolError` that it throws goes to the asker.
   * Any other error goes to `onError`, and the asker reads that the agent failed.
   */
  readonly execute: (call: IntercomCall) => Promise<IntercomAnswer | string> | IntercomAnswer | string
  /** Those whose commands are carried out; every agent that the world has when a command comes unless it is given. */
  readonly agents?: readonly Agent[]
  /** Bounds one command, in milliseconds; 100,000 unless it is given. The host gives up after 120 s without an answer. */
  readonly timeoutMs?: number
  /** How many commands are carried out at the same time; 16 unless it is given. 1,024 others wait, further ones get an error. One whose time is over counts no more. */
  readonly concurrency?: number
  /** Called for errors, with the command that it is about if there is one; printed unless it is given. The subscription continues. */
  readonly onError?: (error: Error, command?: IntercomCommand) => void | Promise<void>
}

/** Carries out commands until it is closed. */
export interface IntercomSubscription {
  /**
   * Resolves when the host's stream is open for the first time: commands that
   * are sent from then on are carried out. A host of the agent-play service may not
   * say so and has half a second. It resolves at the end as well, if the
   * stream never was open.
   */
  readonly ready: Promise<void>
  /** Resolves when it has ended. */
  readonly done: Promise<void>
  /** Ends it, and waits for its answers. May be called again. */
  close(): Promise<void>
}
