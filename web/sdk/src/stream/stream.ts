import type { Retry } from '../http/options.js'
import type { Transport } from '../http/transport.js'
import { backoff, linked, reasonOf, setTimer, whenEnded } from '../http/wait.js'
import { parseJson } from '../json/parse.js'
import { asObject, defined } from '../json/read.js'
import { OptionError, PlayError, UnreachableError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { asError } from '../protocol/callback.js'
import { Connection } from './connection.js'
import { type Frame, FrameError, positionOf } from './frames.js'

const defaultReconnectMs = 2000
/** How long to wait for a stream's headers: a host of the agent-play service sends none before its first event (protocol reference, "A live, verified copy"). */
export const headersTimeoutMs = 500
/** The shortest reconnection time: a host must not make its clients reconnect in a tight loop. */
const leastReconnectMs = 100
/** The longest wait between failed attempts. */
const longestReconnectMs = 30_000

/** What a stream reports. */
export type Signal =
  /** The stream begins to open a connection; without `cursor` the events since the last connection are missed. */
  | { readonly type: 'connecting'; readonly cursor?: number }
  /** The host has replied with a stream of a session. */
  | { readonly type: 'open'; readonly resumes: boolean; readonly sid: string }
  /** The host has stated the position after which the next events come. */
  | { readonly type: 'cursor'; readonly cursor: number }
  /** An event; with `broken` its data cannot be read, and is empty. */
  | { readonly type: 'event'; readonly event: WorldEvent; readonly broken?: Error }
  /** The connection ended or could not be opened; without `error` it ended cleanly. The next attempt is at `retryAt`, in milliseconds since 1970. */
  | { readonly type: 'lost'; readonly retryAt: number; readonly error?: Error }

/** The options of a stream. */
export interface StreamOptions {
  readonly after?: number
  readonly inline: boolean
  /** The ids of the agents for which the reader answers; none by default. */
  readonly answers?: readonly string[] | 'unknown'
  /** How long a connection may be silent, in milliseconds; 45 s by default. */
  readonly silenceMs?: number
  readonly signal: AbortSignal
  /** The waits between connections; by default the first is the host's reconnection time. */
  readonly reconnect?: Pick<Retry, 'baseMs' | 'maxMs'>
}

/**
 * Reads the host's events until it is closed: it reconnects after every end of a
 * connection, also a clean one, and continues after the last event.
 */
export class Stream {
  readonly #transport: Transport
  readonly #options: StreamOptions
  #cursor: number | undefined
  /**
   * The next id must be higher than this. It is equal to the cursor, except if the host
   * stated another position than the requested one. The events in between are then
   * missing until an event confirms the new position: if the connection breaks before,
   * the next one must request the old position again and not skip them.
   */
  #floor: number | undefined
  #connection: Connection | undefined
  /** Ends the attempt to connect that is in progress, or the connection that resulted from it. */
  #attempt: AbortController | undefined
  #unlink = (): void => undefined
  #opening = false
  #waitMs = 0
  #failures = 0
  #retryMs = defaultReconnectMs
  #hurry: (() => void) | undefined

  constructor(transport: Transport, options: StreamOptions) {
    this.#transport = transport
    this.#options = options
    this.#cursor = options.after
  }

  /** Returns the next signal; undefined after the end of the stream. */
  async next(): Promise<Signal | undefined> {
    for (;;) {
      if (this.#options.signal.aborted) {
        this.close()
        return undefined
      }
      if (this.#connection !== undefined) {
        const signal = await this.#read(this.#connection)
        if (signal !== undefined) return signal
      } else if (!this.#opening) {
        if (await this.#endedWhileWaiting()) continue
        this.#opening = true
        return { type: 'connecting', ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }) }
      } else {
        this.#opening = false
        const signal = await this.#open()
        if (signal !== undefined) return signal
      }
    }
  }

  /** Ends the wait for the next attempt; with `force` also an attempt that is in progress or an open connection, and then connects again. */
  hurry(force = false): void {
    this.#hurry?.()
    if (force) this.#attempt?.abort(new UnreachableError('the event stream', 'the connection is made again', true))
  }

  /** Ends the connection. */
  close(): void {
    this.#connection?.close()
    this.#connection = this.#attempt = undefined
    this.#unlink()
  }

  /** Waits for the time of the next attempt, and reports whether the stream was ended meanwhile. */
  async #endedWhileWaiting(): Promise<boolean> {
    const { signal } = this.#options
    if (this.#waitMs <= 0) return signal.aborted
    await new Promise<void>((resolve) => {
      let undo = (): void => undefined
      const go = () => {
        clearTimeout(timer)
        undo()
        this.#hurry = undefined
        resolve()
      }
      const timer = setTimer(go, this.#waitMs)
      this.#hurry = go
      undo = whenEnded(signal, go)
    })
    return signal.aborted
  }

  async #open(): Promise<Signal | undefined> {
    const cursor = this.#cursor
    const attempt = this.#attempt = new AbortController()
    this.#unlink = linked(attempt, this.#options.signal)
    let connection: Connection
    try {
      const { inline, answers, silenceMs } = this.#options
      connection = this.#connection = await Connection.open(this.#transport, defined({ inline, answers, silenceMs, after: cursor, signal: attempt.signal }))
      if (!(await connection.started())) return this.#lost(undefined, true)
    } catch (error) {
      return this.#lost(error)
    }
    // It was closed meanwhile.
    if (this.#connection !== connection) return undefined
    this.#floor = cursor
    return { type: 'open', resumes: cursor !== undefined, sid: connection.sid }
  }

  /** Reads the next frame and returns its signal; undefined for a frame without effect. */
  async #read(connection: Connection): Promise<Signal | undefined> {
    try {
      const frame = await connection.next()
      if (frame === undefined) return this.#lost(undefined)
      this.#failures = 0
      return this.#take(frame, connection.sid)
    } catch (error) {
      return this.#lost(error)
    }
  }

  #take(frame: Frame, sid: string): Signal | undefined {
    const seq = positionOf(frame.id)
    if (frame.data === undefined) {
      if (seq === undefined) return undefined
      this.#floor = seq
      this.#cursor ??= seq
      return { type: 'cursor', cursor: seq }
    }
    const restarts = frame.kind === 'session:reset' || frame.kind === 'session:resync'
    if (frame.kind === 'session:reset') this.#transport.session.forget(sid)
    if (!restarts && seq !== undefined && this.#floor !== undefined && seq <= this.#floor) {
      const last = this.#floor
      this.#cursor = undefined
      throw new FrameError(`the ids of the event stream go backwards: ${seq} came after ${last}`, seq)
    }
    // A log that was lost may begin again: after a reset or resync any position is valid.
    if (restarts || seq !== undefined) this.#cursor = seq
    this.#floor = this.#cursor
    return eventOf(frame.kind, frame.data, seq)
  }

  /** Ends the connection and sets the time of the next attempt; after an `empty` stream not before the host's reconnection time. */
  #lost(cause: unknown, empty = false): Signal | undefined {
    const asked = this.#connection?.retryMs
    if (asked !== undefined) this.#retryMs = Math.min(Math.max(asked, leastReconnectMs), longestReconnectMs)
    this.close()
    if (this.#options.signal.aborted) return undefined
    const { baseMs, maxMs } = this.#options.reconnect ?? { baseMs: this.#retryMs, maxMs: longestReconnectMs }
    this.#waitMs = backoff(baseMs, maxMs, this.#failures)
    if (empty) this.#waitMs = Math.max(this.#waitMs, Math.min(this.#retryMs, maxMs) * (1 + Math.random() / 2))
    if (cause instanceof PlayError) this.#waitMs = Math.max(this.#waitMs, Math.min(cause.retryAfterMs, longestReconnectMs))
    this.#failures++
    const retryAt = Date.now() + this.#waitMs
    if (cause === undefined) return { type: 'lost', retryAt }
    const error = asError(cause)
    const network = error instanceof TypeError && !(error instanceof OptionError)
    return { type: 'lost', retryAt, error: network ? new UnreachableError(this.#transport.host, error.message, true, error) : error }
  }

  /** Why the stream was ended. */
  get reason(): Error {
    return reasonOf(this.#options.signal)
  }
}

/** Reads the data of an event's frame. */
function eventOf(kind: string, text: string, seq: number | undefined): Signal {
  const position = seq === undefined ? {} : { seq }
  try {
    const data = asObject(parseJson(text))
    if (data === undefined) throw new FrameError('it is not a JSON object')
    return { type: 'event', event: { kind, data, ...position } }
  } catch (error) {
    const reason = asError(error).message
    return { type: 'event', event: { kind, data: {}, ...position }, broken: new FrameError(`the data of the event ${kind} cannot be read: ${reason}`) }
  }
}
