import { WorldCopy } from '../../../sdk/src/chain/copy.js'
import { parsePlayerChainFanoutNotify } from '../../../sdk/src/chain/notify.js'
import { readNode } from '../../../sdk/src/chain/node.js'
import type { Verification, WorldSnapshot } from '@playctl/sdk'
import { ApiError, refusal, type Api } from '../access/api.js'
import { timeOf, type WorldEvent } from './events.js'
import { FrameReader, type Frame } from './frames.js'
import { isObject, numberOf, stringOf, type JsonObject } from './json.js'
import { backOff, firstLink, nextLink, type Link, type LinkEvent } from './link.js'

/** Whom a follower tells. */
export interface FollowerReports {
  readonly onEvent: (event: WorldEvent) => void
  readonly onWorld: (snapshot: WorldSnapshot, verification: Verification) => void
  readonly onLink: (link: Link) => void
  /** The cookie is no longer good. True if there is a new one. */
  readonly onRefused: () => Promise<boolean>
}

/** So many events from before the page was opened are asked for. */
const history = 200
/** A stream that is silent for so long, in milliseconds, is dead: a host says something every 15 s. */
const silence = 40_000

/**
 * Follows the world by the cookie: keeps a copy, rebuilds its root after every
 * event, reads it whole where they differ, and reconnects for as long as it runs.
 */
export class Follower {
  private link: Link = firstLink
  private copy: WorldCopy | undefined
  private verification: Verification = 'unread'
  private cursor: number | undefined
  private openedAt: number | undefined
  private wake: () => void = () => undefined
  private stream: AbortController | undefined
  private closed = false

  constructor(private readonly api: Api, private readonly reports: FollowerReports) {}

  /** Follows until close. */
  async run(): Promise<void> {
    while (!this.ended()) {
      try {
        await this.connect()
      } catch (cause) {
        if (await this.ends(cause)) {
          this.move({ is: 'ended' })
          return
        }
      }
      if (!this.ended()) {
        await this.pause()
      }
    }
  }

  /** Tries at once where it waits. */
  retry(): void {
    this.wake()
  }

  close(): void {
    this.closed = true
    this.stream?.abort()
    this.wake()
  }

  private ended(): boolean {
    return this.closed
  }

  private move(event: LinkEvent): void {
    this.link = nextLink(this.link, event)
    this.reports.onLink(this.link)
  }

  /** Whether a failure is the end: a refusal that a new cookie does not help against. */
  private async ends(cause: unknown): Promise<boolean> {
    const refused = cause instanceof ApiError && (cause.status === 401 || (cause.status === 403 && cause.code !== 'sid_invalid'))
    return refused && !(await this.reports.onRefused())
  }

  private async pause(): Promise<void> {
    const wait = backOff(this.link.attempts, Math.random())
    const now = Date.now()
    this.move({ is: 'lost', now, retryAt: now + wait })
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, wait)
      this.wake = () => { clearTimeout(timer); resolve() }
    })
    this.move({ is: 'trying' })
  }

  /** One connection, from the session's id to the stream's end. */
  private async connect(): Promise<void> {
    const session = await this.api.get('/session')
    const sid = stringOf(session.sid)
    this.openedAt ??= numberOf(session.seq)
    if (this.copy?.head.sid !== sid) {
      this.copy = undefined
    }
    const after = this.cursor ?? Math.max(0, numberOf(session.seq) - history)
    const abort = this.stream = new AbortController()
    const query = new URLSearchParams({ sid, inline: '1', lastEventId: String(after) })
    const reply = await fetch(this.api.path(`/events?${query.toString()}`), {
      cache: 'no-store', credentials: 'same-origin', signal: abort.signal, headers: { accept: 'text/event-stream' },
    })
    if (!reply.ok || reply.body === null) {
      throw refusal(reply, await reply.json().catch(() => undefined))
    }
    try {
      if (this.copy === undefined) {
        await this.readWhole()
      }
      this.move({ is: 'opened' })
      await this.read(reply.body, abort)
    } finally {
      abort.abort()
    }
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const frames = new FrameReader()
    const decoder = new TextDecoder()
    const reader = body.getReader()
    for (;;) {
      const timer = setTimeout(() => { abort.abort() }, silence)
      const { done, value } = await reader.read().finally(() => { clearTimeout(timer) })
      if (done) {
        return
      }
      for (const frame of frames.push(decoder.decode(value, { stream: true }))) {
        if (!(await this.take(frame))) {
          return
        }
      }
    }
  }

  /** Takes a frame in; false where the stream is over. */
  private async take(frame: Frame): Promise<boolean> {
    const seq = frame.id === undefined ? undefined : Number(frame.id)
    if (frame.data !== '') {
      const data: unknown = JSON.parse(frame.data)
      const own = isObject(data) ? data : {}
      const past = seq !== undefined && seq <= (this.openedAt ?? 0)
      if (frame.event !== 'session:resync' || this.cursor !== undefined) {
        this.reports.onEvent({ seq, kind: frame.event, data: own, at: timeOf(own) ?? Date.now(), past })
      }
      if (frame.event === 'session:reset') {
        this.cursor = seq
        this.copy = undefined
        this.move({ is: 'reset' })
        return false
      }
      await (frame.event === 'session:resync' ? this.readWhole() : this.merge(own, seq))
    }
    this.cursor = seq ?? this.cursor
    return true
  }

  /** Merges an event's rows and compares the root with the event's. */
  private async merge(data: JsonObject, seq: number | undefined): Promise<void> {
    const have = this.copy
    const rev = numberOf(data.rev)
    if (have === undefined || rev < (have.head.rev ?? 0)) {
      return
    }
    const changed = data.playerChainNotify !== undefined && rev > (have.head.rev ?? 0)
    let next = have
    if (changed) {
      const nodes = Array.isArray(data.playerChainNodes) ? data.playerChainNodes.map(readNode) : []
      const refs = parsePlayerChainFanoutNotify(data.playerChainNotify)?.nodes ?? []
      const answered = nodes.length === refs.length && nodes.every((node, i) => node.stableKey === refs[i]?.stableKey)
      if (!answered) {
        await this.readWhole()
        return
      }
      next = have.merge(nodes)
    }
    this.copy = next.at(rev, seq)
    const differs = this.copy.compare(stringOf(data.merkleRootHex), numberOf(data.merkleLeafCount)) !== undefined
    if (differs) {
      this.tell('mismatch')
      await this.readWhole()
    } else if (changed || this.verification !== 'verified') {
      this.tell('verified')
    }
  }

  /** Reads the whole world, and compares it with the root that came with it. */
  private async readWhole(): Promise<void> {
    const { copy, stated } = WorldCopy.parse(await this.api.get('/snapshot?sid='.concat(await this.sid())))
    this.copy = copy
    const root = stated.merkleRootHex
    this.tell(root === undefined ? 'unverifiable' : copy.compare(root, stated.merkleLeafCount) === undefined ? 'verified' : 'mismatch')
  }

  private async sid(): Promise<string> {
    return encodeURIComponent(stringOf((await this.api.get('/session')).sid))
  }

  private tell(verification: Verification): void {
    this.verification = verification
    if (this.copy !== undefined) {
      this.reports.onWorld(this.copy.snapshot, verification)
    }
  }
}
