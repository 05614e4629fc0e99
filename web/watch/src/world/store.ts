import { batch, signal } from '@preact/signals'
import {
  HUMAN_LABEL, exchangeOf, randomText,
  type IntercomCommand, type InteractionsReply, type JsonObject, type Verification, type WatchScope, type WorldClient, type WorldSnapshot,
} from '@playctl/sdk'
import { faultOf } from '../access/faults.js'
import { answered, ask, notSent, type Exchange } from '../chat/exchange.js'
import { describe } from '../feed/describe.js'
import { everything, type Filter } from '../feed/filter.js'
import { FeedLog } from '../feed/log.js'
import type { Entry } from '../feed/entry.js'
import { Directory, emptyDirectory } from './directory.js'
import type { Happening } from './events.js'
import { Follower } from './follower.js'
import { firstLink } from './link.js'
import { compare, forget, nextForgetting, nothingLately } from './presence.js'
import { occupantThing, spaceThing, type AgentThing } from './things.js'

/** Everything that the panels show, and what people do with it. */
export class WorldStore {
  readonly scope = signal<WatchScope>('watch')
  readonly link = signal(firstLink)
  readonly verification = signal<Verification>('unread')
  readonly snapshot = signal<WorldSnapshot | undefined>(undefined)
  readonly directory = signal<Directory>(emptyDirectory)
  readonly selected = signal<string | undefined>(undefined)
  /** Goes up when the feed has something new; once for each frame at most. */
  readonly feedVersion = signal(0)
  readonly filter = signal<Filter>(everything)
  readonly exchanges = signal<readonly Exchange[]>([])
  readonly feed = new FeedLog()
  /** When each agent was last heard, by stable key; of those on the map. */
  readonly heard = signal<ReadonlyMap<string, number>>(new Map())
  /** Who came and left lately, since this page was opened. */
  readonly presence = signal(nothingLately)
  /** The step of the selected agent's journey that is shown on the map. */
  readonly step = signal<number | undefined>(undefined)
  /** Whether the person let the journey run, so that its steps follow the walker on the map. */
  walking = false
  private readonly follower: Follower
  private readonly listeners = new Set<(event: Happening, entry: Entry) => void>()
  private serial = 0
  private drawing = false
  private forgetting: ReturnType<typeof setTimeout> | undefined

  /** @param seq The position of the log when the page was opened. */
  constructor(private readonly client: WorldClient, seq: number, onRefused: () => Promise<boolean>) {
    this.follower = new Follower(client, seq, {
      onEvent: (event) => { this.take(event) },
      onWorld: (snapshot) => { this.show(snapshot) },
      onVerification: (verification) => { this.verification.value = verification },
      onLink: (link) => { this.link.value = link },
      onRefused,
    })
  }

  /** Follows the world until close. */
  run(): Promise<void> { return this.follower.run() }
  retry(): void { this.follower.retry() }
  close(): void {
    clearTimeout(this.forgetting)
    this.follower.close()
  }

  /** Calls a function for each event; returns what ends that. */
  listen(listener: (event: Happening, entry: Entry) => void): () => void {
    this.listeners.add(listener)
    return () => { this.listeners.delete(listener) }
  }

  select(key: string | undefined): void {
    batch(() => {
      this.selected.value = key
      this.walking = false
      this.step.value = undefined
    })
  }

  refilter(filter: Filter): void {
    this.filter.value = filter
    this.feed.refilter(filter)
    this.feedVersion.value += 1
  }

  /** Reads an agent's latest lines. */
  async lines(playerId: string, beforeSeq?: number): Promise<InteractionsReply> {
    return this.client.listInteractions({ playerId, limit: 30, ...(beforeSeq === undefined ? {} : { beforeSeq }) })
  }

  /** Asks an agent, by a text or one of its tools; again with the id of the question that was not sent. */
  async ask(agent: AgentThing, what: { readonly text: string } | { readonly toolName: string, readonly args: JsonObject }, requestId = randomText()): Promise<void> {
    const command: IntercomCommand = {
      requestId, mainNodeId: agent.nodeId, fromPlayerId: HUMAN_LABEL, toPlayerId: agent.id, kind: 'text' in what ? 'chat' : 'assist', ...what,
    }
    this.exchanges.value = ask(this.exchanges.value, exchangeOf(command), Date.now())
    try {
      await this.client.intercomCommand(command)
    } catch (cause) {
      this.exchanges.value = notSent(this.exchanges.value, requestId, faultOf(cause))
    }
  }

  private show(snapshot: WorldSnapshot): void {
    batch(() => {
      const rows = snapshot.worldMap.occupants.map(occupantThing).filter((row) => row !== undefined)
      // The first state of a world says who is there, not who came.
      this.presence.value = this.snapshot.value?.sid === snapshot.sid
        ? compare(this.presence.value, this.directory.value.occupants, rows, Date.now())
        : nothingLately
      this.directory.value = new Directory(rows, snapshot.spaces.map(spaceThing))
      this.snapshot.value = snapshot
    })
    this.forgetInTime()
  }

  /** Forgets who came and left when it is no longer lately. */
  private forgetInTime(): void {
    clearTimeout(this.forgetting)
    const now = Date.now()
    this.presence.value = forget(this.presence.value, now)
    const next = nextForgetting(this.presence.value)
    if (next !== undefined) {
      this.forgetting = setTimeout(() => { this.forgetInTime() }, next - now)
    }
  }

  private take(event: Happening): void {
    this.serial += 1
    const entry = describe(event, this.directory.value, this.serial)
    this.feed.add(entry)
    if (entry.key.startsWith('agent:') && entry.group !== 'presence') {
      this.hearAt(entry.key, entry.at)
    }
    if (event.kind === 'world:intercom' && event.data.kind !== 'realtime') {
      this.exchanges.value = answered(this.exchanges.value, event.data, event.at)
    }
    for (const listener of this.listeners) {
      listener(event, entry)
    }
    this.draw()
  }

  private hearAt(key: string, at: number): void {
    const known = [...this.heard.value].filter(([other]) => other !== key && this.directory.value.get(other) !== undefined)
    this.heard.value = new Map([...known, [key, at]])
  }

  private draw(): void {
    if (!this.drawing) {
      this.drawing = true
      requestAnimationFrame(() => {
        this.drawing = false
        this.feedVersion.value += 1
      })
    }
  }
}
