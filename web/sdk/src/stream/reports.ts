import { GapError } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import type { Stream } from './stream.js'

/** What a stream reports to a program: that it is open, an event, or a problem after which it continues. */
export type StreamReport =
  | { readonly type: 'open' }
  | { readonly type: 'event'; readonly event: WorldEvent }
  | { readonly type: 'problem'; readonly error: Error }

/** Yields the reports of a stream until its end. Missing events are a problem, a `GapError`, before the next report. */
export async function* reportsOf(stream: Stream): AsyncGenerator<StreamReport, void, undefined> {
  let connected = false
  for (;;) {
    const signal = await stream.next()
    if (signal === undefined) return
    if (signal.type === 'open') {
      if (connected && !signal.resumes) yield gap('the host does not number them, so events between two connections may be missing')
      connected = true
      yield { type: 'open' }
    } else if (signal.type === 'lost') {
      if (signal.error !== undefined) yield { type: 'problem', error: signal.error }
    } else if (signal.type === 'event') {
      const { event, broken } = signal
      if (broken === undefined && event.kind === 'session:resync') yield gap(`the host continues at ${event.seq ?? 'no position'}`)
      yield broken === undefined ? { type: 'event', event } : { type: 'problem', error: broken }
    }
  }
}

function gap(why: string): StreamReport {
  return { type: 'problem', error: new GapError(`events were missed: ${why}`) }
}
