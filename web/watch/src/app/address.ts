import { batch, effect } from '@preact/signals'
import { groups, type Group } from '../feed/entry.js'
import { everything } from '../feed/filter.js'
import { languageNames, type Language } from '../text/languages.js'
import { panelParts, type Part, type WorldStore } from '../world/store.js'
import { Opened, type Layer } from './opened.js'

export const tabNames = ['residents', 'places', 'happenings'] as const
export type TabName = (typeof tabNames)[number]

/** The state in a link to the page: what is shown, and at which moment. It never contains a token. */
export interface Address {
  /** An agent's id, or the stable key of something else. */
  readonly agent: string
  /** The part of the agent's panel. */
  readonly part: Part
  readonly tab: TabName
  readonly kind: Group | ''
  /** The stable key that the feed is filtered by. */
  readonly who: string
  readonly text: string
  /** The seq of a moment, and its session. */
  readonly t: number | undefined
  readonly sid: string
  /** Whether the town is shown alone, without panels. */
  readonly bare: boolean
  /** The language to use instead of the browser's; empty for the browser's. */
  readonly lang: Language | ''
}

/** Reports whether an address requests the view for a wall screen. */
export function isWall(search: string): boolean {
  return new URLSearchParams(search).get('view') === 'wall'
}

/** Parses the query of an address; invalid values count as absent. */
export function parseAddress(search: string): Address {
  const query = new URLSearchParams(search)
  const given = (name: string): string => query.get(name) ?? ''
  const t = /^\d{1,15}$/.test(given('t')) ? Number(given('t')) : undefined
  return {
    agent: given('agent'), t, sid: given('sid'), who: given('who'), text: given('text'),
    part: panelParts.find((name) => name === given('part')) ?? 'talk',
    tab: tabNames.find((name) => name === given('tab')) ?? (t === undefined ? 'residents' : 'happenings'),
    kind: groups.find((group) => group === given('kind')) ?? '',
    bare: given('view') === 'map',
    lang: languageNames.find((name) => name === given('lang')) ?? '',
  }
}

/** Returns a query without default values; empty if all are defaults. */
export function queryOf({ agent, part, tab, kind, who, text, t, sid, bare, lang }: Address): string {
  const query = new URLSearchParams()
  const usual = t === undefined ? 'residents' : 'happenings'
  const all = { agent, part: agent === '' || part === 'talk' ? '' : part, tab: tab === usual ? '' : tab, kind, who, text, t: t === undefined ? '' : String(t), sid, view: bare ? 'map' : '', lang }
  for (const [name, value] of Object.entries(all)) if (value !== '') query.set(name, value)
  const written = query.toString()
  return written === '' ? '' : `?${written}`
}

/** Returns the address state of the page. */
export function addressOf(store: WorldStore): Address {
  const key = store.selected.value
  const { group, key: who, text } = store.filter.value
  const thing = key === undefined ? undefined : store.directory.value.get(key)
  const moment = store.moment.value
  return {
    agent: thing?.kind === 'agent' ? thing.id : key ?? '', part: thing === undefined || thing.kind === 'agent' ? store.part.value : 'talk', tab: store.tab.value, kind: group, who, text, bare: store.bare.value,
    t: moment, sid: moment === undefined ? '' : store.now.sid, lang: parseAddress(location.search).lang,
  }
}

/** Returns the link to what the page shows, and to the current moment. */
export function linkToNow(store: WorldStore): string {
  const { sid } = store.now
  const { seq } = store.time.value ?? store.now
  return location.origin + location.pathname + queryOf({ ...addressOf(store), t: seq, sid })
}

/** Returns the layers that Back closes; an agent is reopened from the address. */
function layersOf(store: WorldStore, open: (agent: string) => void): readonly Layer[] {
  let { read, sheet } = { read: store.read.peek(), sheet: store.sheet.peek() }
  return [
    { name: 'agent', isOpen: () => store.selected.value !== undefined, close: () => { store.select(undefined) }, reopen: () => { open(parseAddress(location.search).agent) } },
    { name: 'bar', isOpen: () => store.barOpen.value, close: () => { store.closeBar() }, reopen: () => { store.barOpen.value = true } },
    {
      name: 'read', isOpen: () => (read = store.read.value ?? read) !== undefined && store.read.value !== undefined,
      close: () => { store.read.value = undefined }, reopen: () => { store.read.value = read },
    },
    {
      name: 'sheet', isOpen: () => (sheet = store.sheet.value ?? sheet) !== undefined && store.sheet.value !== undefined,
      close: () => { store.sheet.value = undefined }, reopen: () => { store.sheet.value = sheet },
    },
  ]
}

/**
 * Shows the state in the address, and keeps the address current. Opening something adds an entry
 * to the browser's history, so that Back closes it.
 * @param focus Brings an agent into view that a link or the history opened.
 */
export function keepAddress(store: WorldStore, focus: (key: string) => void): () => void {
  const first = parseAddress(location.search)
  batch(() => {
    store.tab.value = first.tab
    store.part.value = first.part
    store.bare.value = first.bare
    if (first.kind !== '' || first.who !== '' || first.text !== '') store.refilter({ ...everything, group: first.kind, key: first.who, text: first.text })
    if (first.t !== undefined) store.seek(first.t, first.sid)
    else if (new URLSearchParams(location.search).has('t')) store.note.value = 'link.invalid'
  })
  const open = (id: string): void => {
    const thing = store.directory.peek().get(id) ?? store.directory.peek().whose(id) ?? store.directory.peek().agentBy(id)
    store.select(thing?.key)
    if (thing === undefined && id !== '') store.note.value = 'link.nobody'
    if (thing !== undefined) focus(thing.key)
  }
  let pending = first.agent !== ''
  const given = [...(pending ? ['agent'] : []), ...(first.t !== undefined || store.barOpen.peek() ? ['bar'] : [])]
  const opened = new Opened(layersOf(store, open), given, () => location.pathname + queryOf(addressOf(store)))
  const end = effect(() => {
    // The occupants are known with the first snapshot.
    if (store.snapshot.value === undefined) return
    if (pending) {
      pending = false
      open(first.agent)
    }
    opened.sync()
  })
  const back = (): void => { opened.moved() }
  addEventListener('popstate', back)
  return () => { removeEventListener('popstate', back); end(); opened.close() }
}
