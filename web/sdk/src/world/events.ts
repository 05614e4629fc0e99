import type { WorldClient } from '../http/client.js'
import { ClosedError, GapError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { type Signal, Stream } from '../stream/stream.js'

/** What a subscription of events reports. */
export interface EventOptions {
  /** Only events of these kinds; every one unless it is given. */
  readonly kinds?: readonly string[]
  /** The event to begin after; without it the subscription begins with what happens from now on. */
  readonly after?: number
  /** Called for each event, in order, for none twice. */
  readonly onEvent: (event: WorldEvent) => void
  /** Called when the host's stream is open. */
  readonly onOpen?: () => void
  /** Called for what goes wrong; a `GapError` says that events are missing here. The subscription goes on. */
  readonly onError?: (error: Error) => void
}

/** Reports events until it is closed. */
export interface EventSubscription {
  /** Resolves when it has ended. */
  readonly done: Promise<void>
  /** Ends it. May be called again. */
  close(): Promise<void>
}

/** Reports what happens, such as chat lines, without a copy of the world. */
export function subscribeEvents(client: WorldClient, options: EventOptions): EventSubscription {
  const ending = new AbortController()
  const stream = new Stream(client.transport, {
    inline: false, signal: ending.signal, ...(options.after === undefined ? {} : { after: options.after }),
  })
  const done = listen(stream, options)
  return {
    done,
    async close() {
      ending.abort(new ClosedError('the subscription was closed'))
      await done
    },
  }
}

async function listen(stream: Stream, options: EventOptions): Promise<void> {
  let connected = false
  for (;;) {
    const signal = await stream.next()
    if (signal === undefined) return
    try {
      if (signal.type === 'open') {
        if (connected && !signal.resumes) options.onError?.(new GapError('events were missed: the host numbers none, so what happened between two connections is not known'))
        connected = true
        options.onOpen?.()
      } else {
        tell(signal, options)
      }
    } catch (error) {
      options.onError?.(error instanceof Error ? error : new Error('a function that was told of an event failed'))
    }
  }
}

function tell(signal: Signal, options: EventOptions): void {
  if (signal.type === 'lost' && signal.error !== undefined) options.onError?.(signal.error)
  if (signal.type !== 'event') return
  if (signal.broken !== undefined) {
    options.onError?.(signal.broken)
    return
  }
  const { event } = signal
  if (event.kind === 'session:resync') options.onError?.(new GapError(`events were missed: the host goes on at ${event.seq ?? 'no position'}`))
  if (options.kinds === undefined || options.kinds.includes(event.kind)) options.onEvent(event)
}
