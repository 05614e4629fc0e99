import type { WorldClient } from '../http/client.js'
import { GapError, UnreachableError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { Connection } from '../stream/connection.js'
import { positionOf } from '../stream/frames.js'
import { eventOf } from '../stream/stream.js'

/** The options of `pastEvents`. */
export interface PastOptions {
  /** Reads events before this position, which must be that of an event that the caller may see. */
  readonly before: number
  /** The number of positions to read before it; there are fewer events if the caller may not see some of them. */
  readonly limit: number
  readonly signal?: AbortSignal
}

/** Past events. */
export interface PastEvents {
  /** The events, oldest first. */
  readonly events: readonly WorldEvent[]
  /** The position before the first event. */
  readonly after: number
  /** Whether the host has no earlier events: the session began there, or it no longer stores older ones. */
  readonly first: boolean
}

/**
 * Finds the lowest position from `from` to `to` after which the host's stream continues: below
 * it the session had not started, or the events are no longer stored. It takes about log2(to - from) requests.
 */
export async function oldestPosition(client: WorldClient, from: number, to: number, signal: AbortSignal = new AbortController().signal): Promise<number> {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const connection = await connectAfter(client, middle, signal)
    connection?.close()
    if (connection === undefined) low = middle + 1
    else high = middle
  }
  return high
}

/** Reads events before a position, on a separate stream. The host needs the capability `resume`. */
export async function pastEvents(client: WorldClient, { before, limit, signal = new AbortController().signal }: PastOptions): Promise<PastEvents> {
  let after = Math.max(0, before - 1 - limit)
  let connection = await connectAfter(client, after, signal)
  const refused = connection === undefined
  if (refused) {
    after = await oldestPosition(client, after + 1, before - 1, signal)
    connection = after === before - 1 ? undefined : await connectAfter(client, after, signal)
  }
  if (connection === undefined) return { events: [], after, first: true }
  try {
    return { events: await readUpTo(connection, before), after, first: refused || after === 0 }
  } finally {
    connection.close()
  }
}

/** Opens the stream after a position; undefined if the host cannot continue from it. Rejects with an `UnreachableError` if the host serves no stream now. */
async function connectAfter(client: WorldClient, after: number, signal: AbortSignal): Promise<Connection | undefined> {
  const connection = await Connection.open(client.transport, { after, inline: false, signal })
  try {
    if (!(await connection.started())) throw new UnreachableError(client.transport.host, 'it serves no stream for now', false)
    const greeting = await connection.next()
    if (greeting !== undefined && positionOf(greeting.id) === after) return connection
  } catch (error) {
    connection.close()
    throw error
  }
  connection.close()
  return undefined
}

async function readUpTo(connection: Connection, before: number): Promise<readonly WorldEvent[]> {
  const events: WorldEvent[] = []
  for (;;) {
    const frame = await connection.next()
    if (frame === undefined) throw new GapError('the stream of past events ended early')
    const seq = positionOf(frame.id)
    if (frame.data === undefined || seq === undefined) continue
    if (frame.kind === 'session:resync') throw new GapError('the host no longer keeps these events')
    if (seq >= before) return events
    const read = eventOf(frame.kind, frame.data, seq)
    if (read.type === 'event' && read.broken === undefined) events.push(read.event)
  }
}
