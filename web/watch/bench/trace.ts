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
  /** Each task by the clock: also while it waited for the processor or for what draws. */
  readonly clocked: readonly number[]
  /** The part of the time that the thread had a task, by the clock. */
  readonly busy: number
  /** Frames a second for which the main thread was called. */
  readonly rate: number
  /** Frames a second that were put on the screen. */
  readonly presented: number
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
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'viz'] },
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
  const tasks = own.filter(({ name }) => name.endsWith('RunTask'))
  // A trace also has events of no time, such as a thread's name.
  const seconds = ((frames.at(-1)?.ts ?? 0) - (frames[0]?.ts ?? 0)) / 1e6
  const clocked = outermost(tasks).map(({ dur = 0 }) => dur / 1000)
  return {
    clocked,
    busy: clocked.reduce((sum, task) => sum + task, 0) / seconds / 1000,
    rate: frames.length / seconds,
    presented: events.filter(({ name }) => name === 'Display::DrawAndSwap').length / seconds,
    frames: frames.map(milliseconds),
    scripts: scriptsBetween(frames, outermost(own.filter(({ name }) => scripted.has(name)))),
    tasks: tasks.map(milliseconds),
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
