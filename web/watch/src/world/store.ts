import { batch, signal } from '@preact/signals'
import {
  HUMAN_LABEL, asNumber, exchangeOf, randomText,
  type IntercomCommand, type JsonObject, type Verification, type WatchScope, type WorldClient, type WorldSnapshot,
} from '@playctl/sdk'
import { faultOf } from '../access/faults.js'
import { answered, ask, givenUp, notSent, type Exchange } from '../chat/exchange.js'
import { describe, wordsOf } from '../feed/describe.js'
import { everything, type Filter } from '../feed/filter.js'
import { FeedLog, isUnknown } from '../feed/log.js'
import { addTo, Parts } from '../feed/parts.js'
import { Gone } from '../feed/gone.js'
import { Then } from '../feed/then.js'
import type { Entry } from '../feed/entry.js'
import { Directory, emptyDirectory } from './directory.js'
import type { TimedEvent } from './events.js'
import { Follower, type Renewal } from './follower.js'
import { firstLink } from './link.js'
import { Replay } from './replay.js'
import { compare, forget, nextForgetting, noRecentChange } from './presence.js'
import type { TabName } from '../app/address.js'
import { text, type TextKey } from '../text/text.js'
import { occupantThing, spaceThing, type AgentThing } from './things.js'

/** The parts of an agent's panel. */
export const panelParts = ['talk', 'story', 'facts'] as const
export type Part = (typeof panelParts)[number]

/** The sheets that open above the page: the proof, the settings of notifications, and the name of a person who enters the town. */
export type Sheet = 'proof' | 'notify' | 'walk'

/** Sentences about an agent's own actions. */
const own: ReadonlySet<TextKey> = new Set([
  'event.activity.working', 'event.activity.waiting', 'event.activity.done', 'event.activity.failed', 'event.activity.idle', 'event.said.user', 'event.said.assistant', 'event.said.tool', 'event.said.other', 'event.journey', 'event.intercom.stream', 'event.intercom.completed',
])

/** The last verification of the copy. */
export interface Proved {
  /** When it was verified, in milliseconds since 1970. */
  readonly at: number | undefined
  readonly rev: number | undefined
  readonly leaves: number | undefined
  /** The number of events verified since the page was opened. */
  readonly events: number
}

/** A moment of the past, with its map. */
export interface PastMoment {
  readonly seq: number | undefined
  /** Milliseconds since 1970. */
  readonly at: number
  readonly snapshot: WorldSnapshot
  /** Whether its root and leaf count equal those that the event of its rev states. */
  readonly proved: boolean
}

/** The state that the map shows, current or past. */
interface Shown {
  readonly snapshot: WorldSnapshot | undefined
  readonly directory: Directory
}

/** The state of all panels, and the actions of people on it. */
export class WorldStore {
  readonly scope = signal<WatchScope>('watch')
  /** Whether the host lets people enter the town. */
  readonly people = signal(false)
  /** The stable key of the figure that the reader of this page moves. */
  readonly own = signal<string | undefined>(undefined)
  readonly link = signal(firstLink)
  readonly verification = signal<Verification>('unread')
  /** Whether the host went back to an earlier state since the page was opened. */
  readonly wentBack = signal(false)
  /** The moment of the past that is shown; undefined shows the present. */
  readonly time = signal<PastMoment | undefined>(undefined)
  /** Whether the time bar is shown. */
  readonly barOpen = signal(false)
  /** The name of the recording that is shown; undefined shows the host's world. */
  readonly recording = signal<string | undefined>(undefined)
  private live: Shown = { snapshot: undefined, directory: emptyDirectory }
  readonly replayed = new Replay()
  readonly snapshot = signal<WorldSnapshot | undefined>(undefined)
  readonly directory = signal<Directory>(emptyDirectory)
  readonly selected = signal<string | undefined>(undefined)
  /** Increases when the feed has new entries, at most once for each frame. */
  readonly feedVersion = signal(0)
  readonly filter = signal<Filter>(everything)
  readonly exchanges = signal<readonly Exchange[]>([])
  readonly feed = new FeedLog()
  readonly tab = signal<TabName>('residents')
  /** The text that residents are searched for. */
  readonly wanted = signal('')
  /** The part of an agent's panel that is shown. */
  readonly part = signal<Part>('talk')
  /** The feed entry that is open in the reader. */
  readonly read = signal<Entry | undefined>(undefined)
  /** The sheet that is open above the page, beside the reader. */
  readonly sheet = signal<Sheet | undefined>(undefined)
  /** The stable key of the occupant that the camera follows; undefined for none. */
  readonly followed = signal<string | undefined>(undefined)
  /** Whether only the town is shown. */
  readonly bare = signal(false)
  /** The seq of the moment that is marked in the feed. */
  readonly moment = signal<number | undefined>(undefined)
  /** The note about a link that could not be followed. */
  readonly note = signal<'link.nobody' | 'link.session' | 'link.gone' | 'link.later' | 'link.invalid' | 'page.older' | undefined>(undefined)
  private sought: { readonly seq: number, readonly sid: string } | undefined
  /** When each agent on the map was last active, by stable key, in milliseconds since 1970. */
  readonly lastActive = signal<ReadonlyMap<string, number>>(new Map())
  /** Recent arrivals and departures, since this page was opened. */
  readonly presence = signal(noRecentChange)
  /** The step of the selected agent's journey that is shown on the map. */
  readonly step = signal<number | undefined>(undefined)
  /** Whether the panel that opens next is opened for a question: then the text field has the focus. */
  asks = false
  /** Whether the person started the journey, so that its steps follow the walker on the map. */
  walking = false
  private readonly follower: Follower
  private readonly listeners = new Set<(event: TimedEvent, entry: Entry) => void>()
  readonly proved = signal<Proved>({ at: undefined, rev: undefined, leaves: undefined, events: 0 })
  /** Whether the host has earlier events, and whether they are being read. */
  readonly past = signal<'more' | 'reading' | 'failed' | 'all'>('all')
  private readonly then = new Then()
  private readonly parts = new Parts()
  /** The position of the first entry in the feed; if sealed, no entry can be put before it. */
  private first: number | undefined
  private sealed = false
  private newest: number | undefined
  /** The rev of the map just before the first entry. */
  private before: number | undefined
  private readonly gone: Gone
  private serial = 0
  private earliest = 0
  private drawing = false
  private forgetting: ReturnType<typeof setTimeout> | undefined

  /** @param seq The position of the log when the page was opened. */
  constructor(readonly client: WorldClient, seq: number, onRefused: () => Promise<Renewal>) {
    this.gone = new Gone(client, this.feed, () => { this.draw() })
    this.follower = new Follower(client, seq, {
      onBefore: (event) => { this.before = asNumber(event.data.rev); this.then.pass(event) },
      onEvent: (event) => { this.take(event) },
      onPast: () => { void this.earlier() },
      onProved: (events) => {
        const { rev, merkleLeafCount } = this.live.snapshot ?? {}
        this.proved.value = { at: Date.now(), rev, leaves: merkleLeafCount, events: this.proved.value.events + events }
      },
      onWorld: (snapshot) => { this.show(snapshot) },
      onVerification: (verification) => { this.verification.value = verification },
      onLink: (link) => { this.link.value = link },
      onWentBack: () => { this.wentBack.value = true },
      onRefused,
    })
  }

  /** Follows the world until close. */
  run(): Promise<void> { return this.follower.run() }
  retry(force?: boolean): void { this.follower.retry(force) }
  close(): void {
    clearTimeout(this.forgetting)
    this.follower.close()
  }

  /** Calls a function for each event; returns a function that ends that. */
  listen(listener: (event: TimedEvent, entry: Entry) => void): () => void {
    this.listeners.add(listener)
    return () => { this.listeners.delete(listener) }
  }

  /** Plays a past event. Its full text is kept with it, because the host may not have it, as with a recording. */
  replay(event: TimedEvent): void {
    this.serial += 1
    const entry = describe(event, this.directory.peek(), this.serial)
    this.replayed.play(event, { ...entry, seq: undefined, text: wordsOf(event) })
  }

  /** Shows a moment of the past; `discontinuous` unless it continues from the moment that was shown. */
  showThen(then: PastMoment, discontinuous: boolean): void {
    if (discontinuous) this.replayed.clear()
    batch(() => {
      this.time.value = then
      this.shown = shownOf(then.snapshot)
    })
  }

  /** Shows the present. */
  showNow(): void {
    this.replayed.clear()
    batch(() => {
      this.time.value = undefined
      this.recording.value = undefined
      this.moment.value = undefined
      this.shown = this.live
    })
  }

  /** Closes the time bar, and shows the present. */
  closeBar(): void {
    this.showNow()
    this.barOpen.value = false
  }

  private set shown({ snapshot, directory }: Shown) {
    this.directory.value = directory
    this.snapshot.value = snapshot
  }

  select(key: string | undefined): void {
    batch(() => {
      this.selected.value = key
      if (key !== this.followed.value) this.followed.value = undefined
      this.walking = false
      this.step.value = undefined
    })
  }

  /** Makes the camera follow an occupant, or stops that if it did. */
  follow(key: string): void { this.followed.value = this.followed.value === key ? undefined : key }

  /** Shows another part of the page. */
  turn(tab: TabName): void {
    batch(() => {
      this.tab.value = tab
      if (this.time.value === undefined) this.moment.value = undefined
      this.note.value = undefined
    })
  }

  /** The current position of the log. */
  get now(): { readonly seq: number | undefined, readonly sid: string } {
    const { snapshot } = this.live
    return { seq: this.newest ?? snapshot?.seq, sid: snapshot?.sid ?? '' }
  }

  /** Goes to a moment of the past, if the host still stores it; an empty session means any. */
  seek(seq: number, sid: string): void {
    this.sought = { seq, sid }
    this.find()
  }

  /** Looks for the requested moment, and reads earlier events if it is before the first entry. */
  private find(): void {
    if (this.sought === undefined || this.first === undefined || this.live.snapshot === undefined) return
    const { seq, sid } = this.sought
    const past = this.past.peek()
    if (sid !== '' && sid !== this.live.snapshot.sid) this.found('link.session')
    else if (seq > Math.max(this.newest ?? 0, this.live.snapshot.seq ?? 0)) this.found('link.later')
    else if (seq >= this.first) this.found(undefined, seq)
    else if (past === 'more') void this.earlier()
    else if (past !== 'reading') this.found('link.gone')
  }

  private found(note: 'link.session' | 'link.gone' | 'link.later' | undefined, seq?: number): void {
    this.sought = undefined
    batch(() => {
      this.note.value = note
      this.moment.value = seq
    })
  }

  refilter(filter: Filter): void {
    this.filter.value = filter
    this.feed.refilter(filter)
    this.feedVersion.value += 1
  }

  /** Reads events from before the first entry, if the host has any. */
  async earlier(): Promise<void> {
    if (this.first === undefined || this.sealed || this.past.value === 'reading') return
    this.past.value = 'reading'
    try {
      const { events, first } = await this.follower.before(this.first)
      this.prepend(events, first)
    } catch {
      this.past.value = 'failed'
      this.find()
    }
  }

  private prepend(events: readonly TimedEvent[], whole: boolean): void {
    if (this.sealed) return
    const then = new Then()
    const parts = new Parts()
    const entries: Entry[] = []
    this.earliest -= events.length
    events.forEach((event, place) => {
      // The first event only tells how many leaves there were, unless there was nothing before it.
      if (place > 0 || whole) addTo(entries, parts.join(event, describe(event, this.live.directory, this.earliest + place, then)))
      then.pass(event)
    })
    for (const entry of entries) this.noteOwn(entry)
    const rev = asNumber(events[0]?.data.rev)
    if (entries.some(isUnknown) && rev !== undefined) void this.gone.nameAt(rev)
    this.first = whole ? 0 : entries[0]?.seq ?? this.first
    const { size } = this.feed
    this.feed.prepend(entries, (id) => then.whose(id))
    this.past.value = whole || this.feed.size < size + entries.length ? 'all' : 'more'
    this.draw()
    this.find()
  }

  /** Notes when an agent was last known to be active. */
  wasActive(agent: AgentThing, at: number | undefined): void {
    if (at !== undefined && at > 0) this.noteActive(agent.key, at)
  }

  /** Asks an agent, by a text or one of its tools; a retry has the id of the question that was not sent. */
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
    const before = this.live
    const last = Math.max(this.newest ?? 0, before.snapshot?.seq ?? 0)
    this.live = shownOf(snapshot)
    batch(() => {
      // The first state of a world has no arrivals to report; neither has an earlier state, of a restored backup.
      this.presence.value = before.snapshot?.sid === snapshot.sid && (snapshot.seq ?? last) >= last
        ? compare(this.presence.value, before.directory.occupants, this.live.directory.occupants, Date.now())
        : noRecentChange
      if (this.time.value === undefined) this.shown = this.live
    })
    this.forgetInTime()
    this.find()
  }

  /** Removes arrivals and departures when they are no longer recent. */
  private forgetInTime(): void {
    clearTimeout(this.forgetting)
    const now = Date.now()
    this.presence.value = forget(this.presence.value, now)
    const next = nextForgetting(this.presence.value)
    if (next !== undefined) {
      this.forgetting = setTimeout(() => { this.forgetInTime() }, next - now)
    }
  }

  private take(event: TimedEvent): void {
    this.serial += 1
    const entry = this.parts.join(event, describe(event, this.live.directory, this.serial, this.then))
    this.before ??= Math.max(0, (asNumber(event.data.rev) ?? 0) - 1)
    if (event.past && isUnknown(entry)) void this.gone.nameAt(this.before, this.then)
    this.then.pass(event)
    if (!this.feed.append(entry)) this.feed.add(entry)
    this.noteOwn(entry)
    if (event.kind === 'session:reset' || event.kind === 'session:resync') {
      // Earlier events belong to another session, or cannot be joined to this one.
      this.sealed = true
      this.past.value = 'all'
      this.exchanges.value = givenUp(this.exchanges.value, text(event.kind === 'session:reset' ? 'chat.worldReset' : 'chat.unknown'))
    } else if (this.first === undefined && event.seq !== undefined && !this.sealed) {
      this.first = event.seq
      this.past.value = this.follower.whole ? 'all' : 'more'
    }
    this.newest = event.seq ?? this.newest
    this.find()
    if (event.kind === 'world:intercom' && event.data.kind !== 'realtime') {
      this.exchanges.value = answered(this.exchanges.value, event.data, event.at)
    }
    this.draw()
    for (const listener of this.listeners) {
      listener(event, entry)
    }
  }

  /** Notes the activity of an agent by its own actions; actions of others or of the host for it are no activity. */
  private noteOwn({ key, sentence, at }: Entry): void {
    if (key.startsWith('agent:') && own.has(sentence)) this.noteActive(key, at)
  }

  private noteActive(key: string, at: number): void {
    if ((this.lastActive.value.get(key) ?? -Infinity) >= at) return
    const known = [...this.lastActive.value].filter(([other]) => other !== key && this.live.directory.get(other) !== undefined)
    this.lastActive.value = new Map([...known, [key, at]])
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

function shownOf(snapshot: WorldSnapshot): Shown {
  const rows = snapshot.worldMap.occupants.map(occupantThing).filter((row) => row !== undefined)
  return { snapshot, directory: new Directory(rows, snapshot.spaces.map(spaceThing)) }
}
