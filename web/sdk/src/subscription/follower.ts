import { type WorldCopy, changedKey } from '../chain/copy.js'
import { type EventState, eventRev, readEventState } from '../chain/notify.js'
import { ChainError } from '../chain/row.js'
import type { WorldClient } from '../http/client.js'
import type { Retry } from '../http/options.js'
import { backoff } from '../http/wait.js'
import { defined } from '../json/read.js'
import { type MismatchError, UnmendedError, type WentBackError, hasCode } from '../protocol/errors.js'
import type { WorldEvent } from '../protocol/events.js'
import { asError } from '../protocol/callback.js'
import { FrameError } from '../stream/frames.js'
import type { Signal } from '../stream/stream.js'
import { Stream, headersTimeoutMs } from '../stream/stream.js'
import { withGenesis } from './genesis.js'
import { Alarm, Inbox } from './inbox.js'
import { Reporter } from './report.js'
import { type EventRows, rootAt, rowsOf } from './rows.js'
import type { ChangedKey, SubscribeOptions, Verification } from './types.js'
import { type Finding, Verifier } from './verifier.js'
import { Witness } from './witness.js'

/** How long unequal roots are tolerated on hosts that send no rev with a row. */
const settleTimeMs = 2000
/** Bounds of the wait before a full read, after one that failed or did not repair the copy. */
const firstRereadMs = 500
const longestRereadMs = 30_000

/** Short: a failed read is repeated later, and the stream is handled in between. */
const readRetry: Retry = { attempts: 3, baseMs: 100, maxMs: 2000 }

/** Runs a subscription. */
export class Follower {
  readonly reporter: Reporter
  readonly #client: WorldClient
  readonly #signal: AbortSignal
  readonly #headersTimeoutMs: number
  readonly #stream: Stream
  readonly #verifier: Verifier
  readonly #witness = new Witness()
  readonly #inbox = new Inbox()
  readonly #headers = new Alarm(this.#inbox)
  readonly #settle = new Alarm(this.#inbox)
  readonly #reread = new Alarm(this.#inbox)

  /** Whether a full read is due; `#healing` is set if it is to repair a mismatch. */
  #unread = false
  #healing = false
  /** Whether the last full read was a repair, and no event has confirmed the copy since. */
  #mended = false
  /** Whether the stream is open, or the wait for its headers has ended. */
  #readable = false
  /** Whether the copy was read since the current connection began. */
  #fresh = false
  /** The last known position in the log, and the last known rev: a snapshot must not be older than either. */
  #cursor: number | undefined
  #atLeast = 0
  /** The number of consecutive full reads that failed or repaired nothing. */
  #failures = 0
  #connections = 0

  constructor(client: WorldClient, options: SubscribeOptions, signal: AbortSignal) {
    this.reporter = new Reporter(options)
    this.#client = client.withRetry(readRetry)
    this.#signal = signal
    this.#headersTimeoutMs = options.headersTimeoutMs ?? headersTimeoutMs
    this.#verifier = new Verifier(options.verify !== false)
    const { after, reconnect, silenceMs, mayAnswer = false } = options
    this.#stream = new Stream(this.#client.transport, defined({ signal, inline: options.inline !== false, answers: mayAnswer ? 'unknown' as const : undefined, after, reconnect, silenceMs }))
  }

  /** Tries to connect now; with `force`, even if it is connected or an attempt is in progress. */
  hurry(force?: boolean): void {
    this.#stream.hurry(force)
  }

  /** Follows the world until the signal ends. */
  async run(): Promise<void> {
    const ended = () => {
      this.#inbox.release()
    }
    this.#signal.addEventListener('abort', ended, { once: true })
    const pumped = this.#inbox.pump(this.#stream)
    while (!this.#signal.aborted) {
      if (this.#unread && this.#readable && !this.#reread.armed) await this.#readAll()
      const signal = this.#inbox.take()
      if (signal !== undefined) {
        await this.#take(signal)
      } else {
        if (!this.#looked()) await this.#inbox.wait()
      }
    }
    for (const alarm of [this.#headers, this.#settle, this.#reread]) alarm.clear()
    this.#stream.close()
    this.#inbox.release()
    await pumped
    this.reporter.ended()
  }

  /** Handles the alarms that are due, and reports whether there were any. */
  #looked(): boolean {
    const headers = this.#headers.rings()
    if (headers) this.#readable = true
    const settled = this.#settle.rings()
    if (settled) this.#settled()
    return this.#reread.rings() || headers || settled
  }

  async #take(signal: Signal): Promise<void> {
    switch (signal.type) {
      case 'connecting':
        this.#connecting(signal.cursor)
        break
      case 'open':
        this.#opened(signal.sid)
        break
      case 'cursor':
        this.#positioned(signal.cursor)
        break
      case 'event':
        await this.#event(signal.event, signal.broken)
        break
      case 'lost':
        this.#headers.clear()
        this.#readable = false
        this.reporter.lost(signal.retryAt, signal.error)
        if (signal.error instanceof FrameError && signal.error.lowerSeq !== undefined) this.#saw(this.#witness.position(signal.error.lowerSeq))
        break
    }
  }

  /** Handles a finding of the witness and returns whether there is one: the host contradicts what it stated before. */
  #saw(finding: WentBackError | undefined): boolean {
    if (finding === undefined) return false
    this.#atLeast = 0
    this.reporter.count('rollbacks')
    this.reporter.error(finding)
    return true
  }

  /**
   * Compares the rev and the root that an event states with those that were verified. After a repair, events that do not
   * agree with the host's own snapshot are reported as an `UnmendedError` instead.
   */
  #sawState(seq: number | undefined, state: EventState): void {
    if (this.#mended || !this.#saw(this.#witness.event(seq, state))) return
    if (this.#verifier.use(state) === 'nothing') this.#unread = true // no comparison follows that would find it
  }

  /** Handles the start of a connection. If it does not resume, events were missed. */
  #connecting(cursor: number | undefined): void {
    if (++this.#connections > 1) this.reporter.count('reconnects')
    this.reporter.connecting()
    this.#fresh = false
    const resumes = cursor !== undefined && this.#client.transport.session.has('resume') === true
    this.#cursor = resumes ? cursor : undefined
    // Without a copy, the cursor is the caller's and no position of a copy.
    if (!resumes || this.#verifier.copy === undefined) this.#unread = true
    this.#headers.set(this.#headersTimeoutMs)
  }

  /**
   * Handles an open stream. A copy of another session is not a copy of this world,
   * even if the position matches: a host may restart with another store.
   */
  #opened(sid: string): void {
    this.#headers.clear()
    this.#readable = true
    const copy = this.#verifier.copy
    if (copy !== undefined && copy.head.sid !== sid) this.#unread = true
    this.#witness.session(sid)
    this.reporter.connected()
  }

  /** Handles the position that the stream begins after. If it is not the requested one, events were missed. */
  #positioned(cursor: number): void {
    if (this.#cursor !== undefined && this.#cursor !== cursor) this.#unread = true
    // A host that does not resume may receive events from another one a little later.
    if ((this.#cursor !== undefined || this.#connections === 1) && this.#saw(this.#witness.position(cursor))) this.#unread = true
    if (this.#fresh && this.#behind(cursor)) this.#unread = true
    this.#cursor = cursor
  }

  /** Reports whether the copy is older than a position; false if the host numbers no events. */
  #behind(position: number): boolean {
    if (this.#verifier.copy === undefined) return true
    const { seq } = this.#verifier.copy.head
    return seq !== undefined && seq < position
  }

  async #event(event: WorldEvent, broken: Error | undefined): Promise<void> {
    this.reporter.count('events')
    if (broken === undefined) this.reporter.event(event)
    if (event.seq !== undefined) {
      this.#cursor = event.seq
      if (this.#saw(this.#witness.position(event.seq))) this.#unread = true
    }
    const lacking = this.#unread
    await this.#learn(event, broken)
    if (broken === undefined && !this.#signal.aborted) this.reporter.checked(event, this.#knownAsOf(lacking))
  }

  /**
   * Returns what is known about the copy after an event: `catching-up` if a full read
   * was due before it (`lacking`), or became due with it, unless that read is to repair
   * a mismatch that the event found.
   */
  #knownAsOf(lacking: boolean): Verification {
    const { known } = this.#verifier
    return lacking || (this.#unread && known !== 'mismatch') ? 'catching-up' : known
  }

  /** Handles the event's statements about the world. */
  async #learn(event: WorldEvent, broken: Error | undefined): Promise<void> {
    const rev = eventRev(event.data)
    const { kind, seq } = event
    if (kind === 'session:reset') this.#witness.forget()
    if (kind === 'session:resync' && this.#fresh && seq !== undefined && !this.#unread && !this.#behind(seq)) return
    if (kind === 'session:reset' || kind === 'session:resync') {
      this.#unread = true
      this.#atLeast = 0
      this.#newer(rev)
      return
    }
    if (this.#unread) {
      this.#newer(rev) // the full read that is due includes it
      return
    }
    await this.#merge(event, rev, broken)
  }

  async #merge(event: WorldEvent, rev: number | undefined, broken: Error | undefined): Promise<void> {
    try {
      if (broken !== undefined) throw broken
      await this.#apply(event, readEventState(event.data))
    } catch (error) {
      if (this.#signal.aborted) return
      this.#unread = true
      this.#newer(rev)
      const reason = asError(error).message
      this.reporter.error(new ChainError(`the event ${event.seq ?? ''} (${event.kind}): ${reason}`, { cause: error }))
    }
  }

  #newer(rev: number | undefined): void {
    if (rev !== undefined) this.#atLeast = Math.max(this.#atLeast, rev)
  }

  /** Applies an event to the copy. */
  async #apply(event: WorldEvent, state: EventState): Promise<void> {
    this.#sawState(event.seq, state)
    const copy = this.#verifier.copy
    const use = this.#verifier.use(state)
    if (copy === undefined || use === 'nothing') return
    if (use === 'check' || state.notify === undefined) {
      this.#conclude(this.#verifier.check(copy, state, event.seq), state.rev)
      return
    }
    this.#settle.clear()
    const rows = await rowsOf(this.#client, state, state.notify, this.#signal)
    if (rows === undefined) {
      this.#unread = true
      this.#newer(state.rev)
      return
    }
    const found = this.#verifier.merge(copy, state, event.seq, rows.nodes, rows.rev)
    this.reporter.count('merges')
    this.#show(event, changesOf(rows))
    this.#conclude(found, state.rev)
    const { rev } = copy.head
    if (found.found !== 'mismatch' || rev === undefined) return
    // If the host states another root for the rev before now, not the copy is wrong: the host went back and continued from there.
    const before = await rootAt(this.#client, rev, this.#signal)
    if (before !== undefined) this.#saw(this.#witness.root(rev, before.merkleRootHex, before.merkleLeafCount))
  }

  /** Acts on the result of a comparison. */
  #conclude(finding: Finding, rev: number | undefined): void {
    switch (finding.found) {
      case 'nothing':
        break
      case 'equal':
        this.#mended = false
        this.#failures = 0
        this.#settle.clear()
        if (this.#verifier.copy !== undefined) this.#witness.verified(this.#verifier.copy)
        this.reporter.count('verifications')
        break
      case 'unsettled':
        this.#settle.set(settleTimeMs)
        break
      case 'mismatch':
        this.#mismatch(finding.error, rev)
        break
    }
    this.#publish()
  }

  /** Ends the time for which unequal roots are tolerated. */
  #settled(): void {
    this.#verifier.settled()
    this.#mismatch(new Error(`the copy differs from what the host stated ${settleTimeMs / 1000} s ago`), undefined)
    this.#publish()
  }

  /** Starts the repair of the copy. */
  #mismatch(error: MismatchError | Error, rev: number | undefined): void {
    this.reporter.count('mismatches')
    this.#unread = this.#healing = true
    this.#newer(rev)
    if (!this.#mended) {
      this.reporter.error(error)
      return
    }
    // The host's events do not match its own snapshot: an immediate read would not help.
    this.#later()
    this.reporter.error(new UnmendedError(error))
  }

  /** Delays the next full read. */
  #later(): void {
    this.#reread.set(backoff(firstRereadMs, longestRereadMs, this.#failures))
    this.#failures++
  }

  #publish(): void {
    const { copy, known } = this.#verifier
    this.reporter.publish({ verification: known, ...(copy === undefined ? {} : { snapshot: copy.snapshot }) })
  }

  /** Reports the copy. */
  #show(event?: WorldEvent, changes?: readonly ChangedKey[]): void {
    this.#publish()
    const { copy, known } = this.#verifier
    if (copy === undefined) return
    this.reporter.update(defined({ snapshot: copy.snapshot, verification: known, event, changes }))
  }

  /** Reads the whole world. A failure is reported, and the read is repeated later. */
  async #readAll(): Promise<void> {
    this.#settle.clear()
    let read
    try {
      read = await this.#readCopy()
    } catch (error) {
      if (this.#signal.aborted) return
      // A rev that the host never reaches must not prevent the repair of the copy.
      if (hasCode(error, 'behind')) {
        this.#atLeast = 0
        this.#witness.late()
      }
      this.reporter.error(asError(error))
      this.#later()
      return
    }
    this.#saw(this.#witness.whole(read.copy, read.stated))
    const mismatch = this.#verifier.replace(read.copy, read.stated)
    this.#fresh = true
    this.reporter.count('fullReads')
    if (mismatch === undefined && this.#healing) this.reporter.count('heals')
    if (this.#verifier.known === 'verified') {
      this.#witness.verified(read.copy)
      this.reporter.count('verifications')
    }
    if (mismatch !== undefined) {
      this.reporter.count('mismatches')
      this.#healing = true
      this.#later()
    } else {
      this.#mended = this.#healing
      this.#unread = this.#healing = false
      this.#atLeast = 0
      if (!this.#mended) this.#failures = 0
    }
    this.#show()
    if (mismatch !== undefined) this.reporter.error(new UnmendedError(mismatch))
  }

  /** Reads a snapshot that is not older than the last known rev and position. */
  async #readCopy(): Promise<ReturnType<typeof WorldCopy.parse>> {
    const read = await this.#client.worldCopy({ minRev: this.#atLeast, signal: this.#signal })
    const older = this.#witness.olderThan(read.copy, this.#cursor)
    if (older !== undefined) {
      this.#newer(older.newest)
      this.#saw(older.wentBack)
      throw new ChainError(older.reason)
    }
    return { copy: await withGenesis(this.#client, read.copy, { signal: this.#signal }), stated: read.stated }
  }
}

function changesOf(rows: EventRows): ChangedKey[] {
  return rows.nodes.filter((node) => node.kind !== 'genesis').map(changedKey)
}
