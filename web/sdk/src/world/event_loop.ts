import type { WorldClient } from '../http/client.js'
import { linked } from '../http/wait.js'
import { reportTo } from '../protocol/callback.js'
import { type EventFields, type EventKind, eventKinds } from '../protocol/contract.js'
import { GapError } from '../protocol/errors.js'
import { type WorldEvent, readEvent } from '../protocol/events.js'
import { type Signal, Stream } from '../stream/stream.js'

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

/** Yields events on demand: events that the loop's body has not requested yet stay at the host. It ends with a signal. */
export async function* eventLoop<K extends EventKind>(client: WorldClient, options: EventsOptions<K>, life: AbortSignal): AsyncGenerator<EventOf<K>, void, undefined> {
  const ending = new AbortController()
  const unlink = linked(ending, life, options.signal)
  const stream = new Stream(client.transport, { inline: false, signal: ending.signal, ...(options.after === undefined ? {} : { after: options.after }) })
  const kinds: readonly string[] = options.kinds ?? eventKinds
  try {
    for (;;) {
      const signal = await stream.next()
      if (signal === undefined) return
      const problem = problemOf(signal)
      if (problem !== undefined) reportTo(options.onError, problem)
      if (signal.type !== 'event' || signal.broken !== undefined || !kinds.includes(signal.event.kind)) continue
      const known = readEvent(signal.event)
      if (known !== undefined) yield { ...signal.event, ...known } as unknown as EventOf<K>
    }
  } finally {
    unlink()
    stream.close()
  }
}

function problemOf(signal: Signal): Error | undefined {
  if (signal.type === 'lost') return signal.error
  if (signal.type !== 'event') return undefined
  if (signal.event.kind === 'session:resync') return new GapError(`events were missed: the host goes on at ${signal.event.seq ?? 'no position'}`)
  return signal.broken
}
