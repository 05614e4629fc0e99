import type { Call } from '../http/call.js'
import { routeOf } from '../http/call.js'
import type { Transport } from '../http/transport.js'
import { linked, reasonOf, setTimer, whenEnded } from '../http/wait.js'
import { PlayError, ReplyError, UnreachableError, hasCode } from '../protocol/errors.js'
import { asError } from '../protocol/callback.js'
import { type Frame, FrameParser } from './frames.js'

/** How long a stream may be silent: three of the comments that a host sends after every 15 s are missed then. */
export const stallAfterMs = 45_000

/** Bounds how often the host may name a session and then refuse it. */
const maxSessions = 3

/** What one connection asks for. */
export interface ConnectionOptions {
  /** The position to continue after; absent for the present end. */
  readonly after?: number
  /** Asks for the changed rows within the events. */
  readonly inline: boolean
  /** The agents for which the reader answers, as the parameter `answers` says them; none unless it is given. */
  readonly answers?: string
  /** How long it may be silent, in milliseconds; `stallAfterMs` unless given. */
  readonly silenceMs?: number
  readonly signal: AbortSignal
}

/** One request whose answer is a stream. */
export class Connection {
  readonly #ending = new AbortController()
  readonly #parser = new FrameParser()
  readonly #frames: Frame[] = []
  /** What is wrong with the stream after these frames. */
  #broken: Error | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #stall: ReturnType<typeof setTimeout> | undefined
  readonly #unlink: () => void
  /** Ends the read under way. */
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

  /** The reconnection time that the stream set, in milliseconds; undefined if it set none. */
  get retryMs(): number | undefined {
    return this.#parser.retryMs
  }

  /** Opens a connection for the session that holds now. */
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
    throw new ReplyError('GET /events', 'the host names a session and then refuses it')
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
    // A reader that does not say it would keep the host from knowing that nobody answers.
    const answers = transport.service === 'play' ? options.answers ?? '' : undefined
    const call: Call = {
      method: 'GET', path: transport.api('/events'), repeat: 'read',
      query: { ...(options.inline ? { inline: '1' } : {}), ...(answers === undefined ? {} : { answers }) },
    }
    const response = await transport.send(call, this.sid, undefined, this.#ending.signal, {
      accept: 'text/event-stream',
      ...(options.after === undefined ? {} : { 'last-event-id': String(options.after) }),
    })
    if (response.status !== 200) throw await transport.refusal(call, response)
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'text/event-stream' || response.body === null) {
      await response.body?.cancel()
      throw new ReplyError(routeOf(call), 'it is no event stream: is this the address of a world host?')
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

  /** Waits for more than a reconnection time; false if the host ended the stream before: it could not serve one then. */
  async started(): Promise<boolean> {
    while (!this.#parser.started) if (!(await this.#more())) return false
    return true
  }

  /** Returns the next frame; undefined at a clean end. What is not read stays in the network. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame !== undefined) return frame
      if (!(await this.#more())) return undefined
    }
  }

  /** Takes the next piece; false at a clean end. */
  async #more(): Promise<boolean> {
    if (this.#broken !== undefined) throw this.#broken
    let piece
    this.#restartStallTimer()
    try {
      piece = await this.#read()
    } catch (error) {
      throw this.#reason(error)
    } finally {
      // Between reads nothing is measured: a program that is busy with an event finds what
      // arrived meanwhile in the network's buffers.
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

  /** Reads the next piece. In Deno a read may wait forever though its request was aborted, so it ends with the connection here. */
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

  /** Returns the stall, or the end that was asked for, as the cause if that is why it ended. */
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
