import type { CallOptions } from '../http/options.js'
import { backoff, linked, pause } from '../http/wait.js'
import { asNumber, asObject, defined } from '../json/read.js'
import { type ActivityState, type RecordActivityRequest, type Usage, limits, requestFields } from '../protocol/contract.js'
import { ClosedError, OptionError, PlayError, UnreachableError, hasCode } from '../protocol/errors.js'
import { checkOptions } from '../protocol/options.js'
import { normalizeSpaces } from '../protocol/text.js'

/** The options of the methods of an agent that say what it does. */
export interface ActivityOptions {
  /** The tool in use. */
  readonly toolName?: string
  /** What the agent's present run has used so far; the next calls keep it, and an empty one removes it. */
  readonly usage?: Usage
}

/** What an agent does, as its program says it. The host adds since when. */
export type ActivityReport = Omit<RecordActivityRequest, 'playerId' | 'connectionId'>

/** The shortest time between two requests; states that people wait for are sent at once. */
const gapMs = 1000
/** The same if only the usage has changed. */
const usageGapMs = 10_000
const urgent: ReadonlySet<ActivityState> = new Set(['waiting', 'done', 'failed'])

const firstRepairMs = 1000
const longestRepairMs = 15_000
/** The longest wait that a host may request. */
const longestWaitMs = 300_000

/** What the sender of an agent's activity needs. */
export interface ActivityHost {
  /** Whether the host takes activities. */
  readonly takes: () => boolean
  /** Sends an activity once. */
  readonly send: (report: ActivityReport, call: CallOptions) => Promise<unknown>
  readonly warn: (text: string) => void
  /** The present time in milliseconds from any beginning; it never goes back. */
  readonly now: () => number
}

/**
 * Sends the newest activity of an agent, one request at a time. What a newer one replaces before it was due is never sent.
 */
export class ActivitySender {
  #newest: ActivityReport | undefined
  /** What the agent has used if it has no state yet. */
  #usage: Usage | undefined
  /** What the host has of the agent; undefined if that is not known. */
  #known: ActivityReport | undefined
  #sentAt = -Infinity
  #sending: Promise<void> | undefined
  /** A wait that the host requested, or that follows a failure. */
  #held: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #registrations = 0
  /** Set while the host does not know the agent's connection. */
  #unregistered = false
  #left = false
  readonly #ending = new AbortController()

  constructor(readonly host: ActivityHost) {}

  /** Replaces the activity. The usage stays if none is given. A wrong argument is an `OptionError`. */
  set(state: ActivityState, text?: string, options: ActivityOptions = {}): void {
    this.#mustBeHere()
    if (text !== undefined && typeof text !== 'string') throw new OptionError('what the agent does is not a text')
    if (asObject(options) === undefined) throw new OptionError(`the options of ${state} are not an object, such as { toolName: 'edit' }`)
    checkOptions(state, options, { toolName: true, usage: true })
    const { toolName, usage } = options
    if (toolName !== undefined && typeof toolName !== 'string') throw new OptionError('toolName is not a text')
    if (usage !== undefined) this.#usage = checkedUsage(usage)
    this.#replace(defined({
      state, text: textOf(text, limits.maxActivityTextChars), toolName: textOf(toolName, limits.maxToolNameChars), usage: this.#usage,
    }))
  }

  /** Replaces the usage. It is sent with the agent's state: without one, with the first. */
  use(usage: Usage): void {
    this.#mustBeHere()
    this.#usage = checkedUsage(usage)
    if (this.#newest === undefined) return
    const { usage: _before, ...report } = this.#newest
    this.#replace(defined({ ...report, usage: this.#usage }))
  }

  /** Sends the newest activity again: the agent has registered again, and its row may be new. */
  registered(): void {
    this.#registrations++
    this.#unregistered = false
    this.#known = undefined
    this.#look()
  }

  /** Ends the sending: the host refuses to keep the agent. */
  lose(): void {
    this.#unregistered = true
  }

  /** Ends the sending: from now on only `flush` sends. */
  leave(): void {
    this.#left = true
    clearTimeout(this.#timer)
  }

  /** Sends what was not sent yet, until a signal ends that. Never rejects. */
  async flush(signal: AbortSignal): Promise<void> {
    const unlink = linked(this.#ending, signal)
    await this.#sending
    await this.#held
    while (!signal.aborted && this.#wait() !== undefined) {
      await this.#send()
      await this.#held
    }
    unlink()
  }

  #mustBeHere(): void {
    if (this.#left) throw new ClosedError('the agent has left the map')
  }

  #replace(report: ActivityReport): void {
    this.#newest = report
    this.#look()
  }

  /** Sends the newest activity when it is due. */
  #look(): void {
    clearTimeout(this.#timer)
    if (this.#left || this.#sending !== undefined || this.#held !== undefined) return
    const ms = this.#wait()
    if (ms === undefined) return
    if (ms > 0) {
      this.#timer = setTimeout(() => { this.#look() }, ms)
      return
    }
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined
      this.#look()
    })
  }

  /** Returns in how many milliseconds the newest activity is due; undefined if there is nothing to send. */
  #wait(): number | undefined {
    const [next, known] = [this.#newest, this.#known]
    if (next === undefined || this.#unregistered || !this.host.takes() || same(next, known)) return undefined
    const onlyUsage = known !== undefined && same({ ...next, usage: {} }, { ...known, usage: {} })
    const gap = onlyUsage ? usageGapMs : urgent.has(next.state) ? 0 : gapMs
    return Math.max(this.#sentAt + gap - this.host.now(), 0)
  }

  async #send(): Promise<void> {
    const [next, registrations] = [this.#newest, this.#registrations]
    if (next === undefined) return
    this.#sentAt = this.host.now()
    try {
      await this.host.send(next, { signal: this.#ending.signal })
      this.#failures = 0
    } catch (error) {
      if (this.#ending.signal.aborted || this.#failed(error, registrations)) return
      this.host.warn(`what the agent does was not recorded: ${error instanceof Error ? error.message : String(error)}`)
    }
    // What was refused is not sent again. A row that is new meanwhile does not have it.
    if (this.#registrations === registrations) this.#known = next
  }

  /** Reports whether the activity is to be sent again after an error, and waits before that. */
  #failed(error: unknown, registrations: number): boolean {
    if (hasCode(error, 'lease_unknown', 'player_unknown')) {
      this.#unregistered = this.#registrations === registrations
      return true
    }
    const refused = error instanceof PlayError ? error : undefined
    if (refused === undefined ? !(error instanceof UnreachableError) : !passes(refused)) return false
    const requested = refused?.retryAfterMs ?? 0
    const ms = requested > 0 ? Math.min(requested, longestWaitMs) : backoff(firstRepairMs, longestRepairMs, this.#failures++)
    this.#held = pause(ms, this.#ending.signal).catch(() => undefined).then(() => {
      this.#held = undefined
      this.#look()
    })
    return true
  }
}

/** Reports whether a refusal may pass by itself. */
function passes({ status, code }: PlayError): boolean {
  return status === 429 || status === 408 || code === 'sid_invalid' || (status >= 500 && status !== 501 && code !== 'record_damaged')
}

/** Reports whether two activities are the same; both are built here, with their members in one order. */
function same(one: ActivityReport, other: ActivityReport | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns a text as one line, cut at a number of characters; undefined if nothing is left of it. */
function textOf(text: string | undefined, most: number): string | undefined {
  // A character has at most two units.
  const line = Array.from(normalizeSpaces(text ?? '').slice(0, most * 2)).slice(0, most).join('').trim()
  return line === '' ? undefined : line
}

/** Returns a copy of a usage, undefined for an empty one; a number that is none, or is below 0, is an `OptionError` that names it. */
function checkedUsage(usage: Usage): Usage | undefined {
  if (asObject(usage) === undefined) throw new OptionError('usage is not an object, such as { inputTokens: 1200, outputTokens: 80 }')
  const names = requestFields.Usage.split(' ')
  checkOptions('usage', usage, Object.fromEntries(names.map((name) => [name, true])) as Record<keyof Usage, true>)
  const copy = Object.fromEntries(names.flatMap((name) => {
    const value: unknown = usage[name as keyof Usage]
    if (value === undefined) return []
    const number = asNumber(value)
    if (number === undefined || number < 0) throw new OptionError(`usage.${name} is not a number from 0`)
    return [[name, number]]
  }))
  return Object.keys(copy).length === 0 ? undefined : copy
}
