import type { WorldClient } from '../http/client.js'
import { asObject } from '../json/read.js'
import { limits } from '../protocol/contract.js'
import { GapError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'

/** The options of `pastEvents`. */
export interface PastOptions {
  /** Reads events before this position. */
  readonly before: number
  /** The number of positions to read before it; there are fewer events if the caller may not see some of them. */
  readonly limit: number
  readonly signal?: AbortSignal
}

const optionNames: OptionNames<PastOptions> = { before: true, limit: true, signal: true }

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
 * it the session had not started, or the events are no longer stored. Not every host supports it.
 */
export async function oldestPosition(client: WorldClient, from: number, to: number, signal?: AbortSignal): Promise<number> {
  const { afterSeq } = await client.listEvents({ afterSeq: from, limit: 1, brief: true }, { ...(signal && { signal }) })
  return Math.min(Math.max(from, afterSeq), to)
}

/** Reads events before a position. Not every host supports it. */
export async function pastEvents(client: WorldClient, options: PastOptions): Promise<PastEvents> {
  checkOptions('pastEvents', options, optionNames)
  const { before, limit, signal } = options
  const from = Math.max(0, before - 1 - limit)
  const events: WorldEvent[] = []
  let after = from
  for (let last = from, more = true; more && last < before - 1;) {
    const page = await client.listEvents({ afterSeq: last, limit: Math.min(before - 1 - last, limits.maxListLimit) }, { ...(signal && { signal }) })
    if (last === from) after = Math.min(page.afterSeq, before - 1)
    else if (page.afterSeq > last) throw new GapError('the host no longer keeps these events')
    for (const { seq, event: kind, data: value } of page.events) {
      const data = asObject(value)
      if (seq < before && data !== undefined) events.push({ seq, kind, data })
    }
    if (page.hasMore && page.lastSeq <= last) throw new GapError('the list of events does not advance')
    last = page.lastSeq
    more = page.hasMore
  }
  return { events, after, first: after > from || after === 0 }
}
