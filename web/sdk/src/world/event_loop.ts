import type { WorldClient } from '../http/client.js'
import { linked } from '../http/wait.js'
import { defined } from '../json/read.js'
import { reportTo } from '../protocol/callback.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'
import { type EventFields, type EventKind, eventKinds } from '../protocol/contract.js'
import { type WorldEvent, readEvent } from '../protocol/events.js'
import { reportsOf } from '../stream/reports.js'
import { Stream } from '../stream/stream.js'

/** An event whose `data` has the fields of its `kind`, each with its type: a comparison of `kind` narrows it. */
export type EventOf<K extends EventKind = EventKind> = { [P in K]: Omit<WorldEvent<P>, 'data'> & { readonly data: EventFields[P] } }[K]

/** The options of `events`. */
export interface EventsOptions<K extends EventKind = EventKind> {
  /** Only events of these kinds; by default every kind that this version knows. */
  readonly kinds?: readonly K[]
  /** The seq of the event to begin after; without it the loop begins with the first event after it starts to wait. */
  readonly after?: number
  /** Called for errors: a `GapError` means that events are missing here. Errors are printed unless it is given. The loop continues. */
  readonly onError?: (error: Error) => void | Promise<void>
  /** Ends the loop without an error. */
  readonly signal?: AbortSignal
}

const optionNames: OptionNames<EventsOptions> = { kinds: true, after: true, onError: true, signal: true }

/** Yields events on demand: events that the loop's body has not requested yet stay at the host. It ends with a signal. */
export async function* eventLoop<K extends EventKind>(client: WorldClient, options: EventsOptions<K>, life: AbortSignal): AsyncGenerator<EventOf<K>, void, undefined> {
  checkOptions('events', options, optionNames)
  const ending = new AbortController()
  const unlink = linked(ending, life, options.signal)
  const stream = new Stream(client.transport, defined({ inline: false, signal: ending.signal, after: options.after }))
  const kinds: readonly string[] = options.kinds ?? eventKinds
  try {
    for await (const report of reportsOf(stream)) {
      if (report.type === 'problem') reportTo(options.onError, report.error)
      if (report.type !== 'event' || !kinds.includes(report.event.kind)) continue
      const known = readEvent(report.event)
      if (known !== undefined) yield { ...report.event, ...known } as unknown as EventOf<K>
    }
  } finally {
    unlink()
    stream.close()
  }
}
