/** What the main thread of a page does, as the browser's own trace has it. */

import type { CDPSession, Page } from '@playwright/test'

/** A complete event of a trace. Times are microseconds. */
interface TraceEvent {
  name: string
  pid: number
  tid: number
  ts: number
  /** How long it took, and how much of that the thread was running. */
  dur?: number
  tdur?: number
}

/** What the main thread did, in milliseconds that it was running. */
export interface Work {
  /** The callbacks of each frame: drawing, and what is drawn with it. */
  readonly frames: readonly number[]
  /** All script from one frame to the next: the stream, the copy and its proof as well. */
  readonly scripts: readonly number[]
  /** Each task, with style, layout and painting. */
  readonly tasks: readonly number[]
}

/** What runs scripts. They lie within one another: only the outermost count. */
const scripted = new Set(['FireAnimationFrame', 'FunctionCall', 'EventDispatch', 'TimerFire', 'BlinkScheduler_PerformMicrotaskCheckpoint'])

/** What an event cost its thread, without the time that other processes had the processor. */
const milliseconds = ({ dur = 0, tdur = dur }: TraceEvent): number => tdur / 1000

/** Records what the page does while something goes on. */
export async function traced(page: Page, during: () => Promise<void>): Promise<Work> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'] },
  })
  await during()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  return workOf(events)
}

function workOf(events: readonly TraceEvent[]): Work {
  const main = events.find(({ name }) => name === 'FireAnimationFrame')
  const own = events.filter(({ pid, tid }) => pid === main?.pid && tid === main.tid).sort((a, b) => a.ts - b.ts)
  const frames = own.filter(({ name }) => name === 'FireAnimationFrame')
  return {
    frames: frames.map(milliseconds),
    scripts: scriptsBetween(frames, outermost(own.filter(({ name }) => scripted.has(name)))),
    tasks: own.filter(({ name }) => name.endsWith('RunTask')).map(milliseconds),
  }
}

/** Those of the events that lie in no other. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  let end = -Infinity
  return events.filter(({ ts, dur = 0 }) => {
    if (ts < end) return false
    end = ts + dur
    return true
  })
}

/** For each frame, the script since the one before it, its own included. */
function scriptsBetween(frames: readonly TraceEvent[], scripts: readonly TraceEvent[]): number[] {
  let next = 0
  return frames.map((frame) => {
    let sum = 0
    for (let script = scripts[next]; script !== undefined && script.ts <= frame.ts; script = scripts[++next]) sum += milliseconds(script)
    return sum
  })
}
