import type { WorldClient } from '../http/client.js'
import { defined } from '../json/read.js'
import { ClosedError } from '../protocol/errors.js'
import type { EventKind } from '../protocol/contract.js'
import type { NamedOr, WorldEvent } from '../protocol/events.js'
import { callBack, reportTo } from '../protocol/callback.js'
import { type OptionNames, checkOptions } from '../protocol/options.js'
import { reportsOf } from '../stream/reports.js'
import { Stream } from '../stream/stream.js'

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

const optionNames: OptionNames<EventOptions> = { kinds: true, after: true, answersFor: true, onEvent: true, onOpen: true, onError: true }

/** A subscription that reports events until it is closed. */
export interface EventSubscription {
  /** Resolves when the subscription has ended. */
  readonly done: Promise<void>
  /** Ends the subscription. May be called again. */
  close(): Promise<void>
}

/** Reports events, such as chat lines, without a copy of the world. */
export function subscribeEvents(client: WorldClient, options: EventOptions): EventSubscription {
  checkOptions('subscribeEvents', options, optionNames)
  const ending = new AbortController()
  const { after, answersFor } = options
  const stream = new Stream(client.transport, defined({ inline: false, answers: answersFor, signal: ending.signal, after }))
  const done = listen(stream, options)
  return {
    done,
    async close() {
      ending.abort(new ClosedError('the subscription was closed'))
      await done
    },
  }
}

async function listen(stream: Stream, { kinds, onEvent, onOpen, onError }: EventOptions): Promise<void> {
  const wrong = (error: Error): void => { reportTo(onError, error) }
  for await (const report of reportsOf(stream)) {
    if (report.type === 'problem') wrong(report.error)
    else if (report.type === 'open') callBack(onOpen, wrong)
    else if (kinds === undefined || kinds.includes(report.event.kind)) callBack(onEvent, wrong, report.event)
  }
}
