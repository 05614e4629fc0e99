import type { Call } from '../http/call.js'
import { routeOf } from '../http/call.js'
import type { Transport } from '../http/transport.js'
import { linked, reasonOf, setTimer, whenEnded } from '../http/wait.js'
import { headers, limits, queries } from '../protocol/contract.js'
import { PlayError, ReplyError, UnreachableError, hasCode } from '../protocol/errors.js'
import { asError } from '../protocol/callback.js'
import { type Frame, FrameParser } from './frames.js'

/** How long a stream may be silent: the time of three comments of a host. */
export const stallAfterMs = 3 * limits.maxStreamSilenceSeconds * 1000

/** How many times the host may state a session and then refuse it. */
const maxSessions = 3

/** The options of one connection. */
export interface ConnectionOptions {
  /** The position to continue after; absent for the current end. */
  readonly after?: number
  /** Whether to request the changed rows within the events. */
  readonly inline: boolean
  /** The ids of the agents for which the reader answers; none by default. */
  readonly answers?: readonly string[] | 'unknown'
  /** How long the stream may be silent, in milliseconds; `stallAfterMs` by default. */
  readonly silenceMs?: number
  readonly signal: AbortSignal
}

/** One request whose reply is a stream. */
export class Connection {
  readonly #ending = new AbortController()
  readonly #parser = new FrameParser()
  readonly #frames: Frame[] = []
  /** The error in the stream after these frames. */
  #broken: Error | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #stall: ReturnType<typeof setTimeout> | undefined
  readonly #unlink: () => void
  /** Ends the read in progress. */
  #endRead: ((why: Error) => void) | undefined

  private constructor(
    readonly sid: string,
    readonly silenceMs: number,
    signal: AbortSignal,
  ) {
    this.#unlink = linked(this.#ending, signal)
    whenEnded(this.#ending.signal, () => this.#endRead?.(reasonOf(this.#ending.signal)))
    this.#restartStallTimer()
  }

  /** The stream's reconnection time, in milliseconds; undefined if it set none. */
  get retryMs(): number | undefined {
    return this.#parser.retryMs
  }

  /** Opens a connection for the current session. */
  static async open(transport: Transport, options: ConnectionOptions): Promise<Connection> {
    for (let i = 0; i < maxSessions; i++) {
      const sid = await transport.sid(options.signal)
      try {
        return await Connection.#openFor(transport, sid, options)
      } catch (error) {
        const over = hasCode(error, 'sid_invalid') || (transport.service !== 'play' && error instanceof PlayError && error.status === 403)
        if (!over) throw error
        transport.session.forget(sid)
      }
    }
    throw new ReplyError('GET /events', 'the host returned a session and then refused it')
  }

  static async #openFor(transport: Transport, sid: string, options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(sid, options.silenceMs ?? stallAfterMs, options.signal)
    try {
      await connection.#request(transport, options)
      return connection
    } catch (error) {
      const reason = connection.#reason(error)
      connection.close()
      throw reason
    }
  }

  async #request(transport: Transport, options: ConnectionOptions): Promise<void> {
    const { answers: known = [] } = options
    // A stream without the parameter declares nothing, one with an empty value declares that the reader answers for no agent.
    const answers = transport.service === 'play' && known !== 'unknown' ? known.join(',') : undefined
    const call: Call = {
      method: 'GET', path: transport.path('events'), repeat: 'read',
      query: { ...(options.inline ? { [queries.inline]: '1' } : {}), ...(answers === undefined ? {} : { [queries.answers]: answers }) },
    }
    const response = await transport.send(call, this.sid, undefined, this.#ending.signal, {
      accept: 'text/event-stream',
      ...(options.after === undefined ? {} : { [headers.lastEventId]: String(options.after) }),
    })
    if (response.status !== 200) throw await transport.refusal(call, response)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'text/event-stream' || response.body === null) {
      await response.body?.cancel()
      throw new ReplyError(routeOf(call), 'it is no event stream: is this the address of a playctl host?')
    }
    this.#reader = response.body.getReader()
  }

  /** Ends the connection if nothing arrives for too long from now on. */
  #restartStallTimer(): void {
    clearTimeout(this.#stall)
    this.#stall = setTimer(() => {
      this.#ending.abort(new UnreachableError('the event stream', `nothing arrived for ${this.silenceMs / 1000} s, not even a heartbeat`, true))
    }, this.silenceMs)
  }

  /** Waits for more than a reconnection time; false if the host ended the stream before, because it could not serve one. */
  async started(): Promise<boolean> {
    while (!this.#parser.started) if (!(await this.#more())) return false
    return true
  }

  /** Returns the next frame; undefined at a clean end. Unread data stays in the network's buffers. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame !== undefined) return frame
      if (!(await this.#more())) return undefined
    }
  }

  /** Parses the next piece; false at a clean end. */
  async #more(): Promise<boolean> {
    if (this.#broken !== undefined) throw this.#broken
    let piece
    this.#restartStallTimer()
    try {
      piece = await this.#read()
    } catch (error) {
      throw this.#reason(error)
    } finally {
      // The timer runs only during a read: while the program handles an event, data that
      // arrives waits in the network's buffers.
      clearTimeout(this.#stall)
    }
    if (piece?.value === undefined) return false
    try {
      this.#parser.push(piece.value, this.#frames)
    } catch (error) {
      this.#broken = asError(error)
    }
    return true
  }

  /** Reads the next piece. In Deno a read may wait forever although its request was aborted, so the end of the connection ends it here. */
  async #read(): Promise<ReadableStreamReadResult<Uint8Array> | undefined> {
    const reader = this.#reader
    if (reader === undefined) return undefined
    this.#ending.signal.throwIfAborted()
    try {
      return await new Promise((resolve, reject) => {
        this.#endRead = reject
        reader.read().then(resolve, reject)
      })
    } finally {
      this.#endRead = undefined
    }
  }

  /** Returns the reason of the signal if it ended the connection (a stall or an abort), otherwise the error. */
  #reason(error: unknown): Error {
    if (this.#ending.signal.aborted) return reasonOf(this.#ending.signal)
    return asError(error)
  }

  /** Ends the connection. */
  close(): void {
    clearTimeout(this.#stall)
    this.#unlink()
    this.#ending.abort(new Error('the event stream was closed'))
    this.#reader?.cancel().catch(() => undefined)
  }
}
