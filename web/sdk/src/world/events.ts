import type { WorldClient } from '../http/client.js'
import { ClosedError, GapError } from '../protocol/errors.js'
import type { EventKind } from '../protocol/contract.js'
import type { NamedOr, WorldEvent } from '../protocol/events.js'
import { callBack, reportTo } from '../protocol/callback.js'
import { type Signal, Stream } from '../stream/stream.js'

/** The options of `subscribeEvents`. Errors that the callbacks throw go to `onError`; errors that `onError` throws are dropped. */
export interface EventOptions {
  /** Only events of these kinds; all by default. */
  readonly kinds?: readonly NamedOr<EventKind>[]
  /** The seq of the event to begin after; without it the subscription begins with the next event. */
  readonly after?: number
  /**
   * The ids of the agents for which the program answers the commands in these events, at most 128; none by default. The
   * host tells an asker if no program answers for an agent. `subscribeIntercomCommands` sets it automatically.
   */
  readonly answersFor?: readonly string[]
  /** Called once for each event, in order. */
  readonly onEvent: (event: WorldEvent) => void | Promise<void>
  /** Called when the host's stream is open. */
  readonly onOpen?: () => void | Promise<void>
  /** Called for errors; a `GapError` means that events are missing here. The subscription continues. */
  readonly onError?: (error: Error) => void | Promise<void>
}

/** A subscription that reports events until it is closed. */
export interface EventSubscription {
  /** Resolves when the subscription has ended. */
  readonly done: Promise<void>
  /** Ends the subscription. May be called again. */
  close(): Promise<void>
}

/** Reports events, such as chat lines, without a copy of the world. */
export function subscribeEvents(client: WorldClient, options: EventOptions): EventSubscription {
  const ending = new AbortController()
  const stream = new Stream(client.transport, {
    inline: false, answers: (options.answersFor ?? []).join(','), signal: ending.signal, ...(options.after === undefined ? {} : { after: options.after }),
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
    if (signal.type === 'open') {
      if (connected && !signal.resumes) {
        wrong(options, new GapError('events were missed: the host numbers none, so what happened between two connections is not known'))
      }
      connected = true
      callBack(options.onOpen, (error) => { wrong(options, error) })
    } else {
      take(signal, options)
    }
  }
}

function take(signal: Signal, options: EventOptions): void {
  if (signal.type === 'lost' && signal.error !== undefined) wrong(options, signal.error)
  if (signal.type !== 'event') return
  if (signal.broken !== undefined) {
    wrong(options, signal.broken)
    return
  }
  const { event } = signal
  if (event.kind === 'session:resync') wrong(options, new GapError(`events were missed: the host goes on at ${event.seq ?? 'no position'}`))
  if (options.kinds === undefined || options.kinds.includes(event.kind)) callBack(options.onEvent, (error) => { wrong(options, error) }, event)
}

function wrong(options: EventOptions, error: Error): void {
  reportTo(options.onError, error)
}
