import type { RefObject, VNode } from 'preact'
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { addressOf, queryOf } from '../app/address.js'
import { nameOf } from '../app/names.js'
import { Sentence } from '../app/Sentence.js'
import { plainWords } from '../markdown/plain.js'
import { locale, text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'
import { find } from '../occupants/search.js'
import { groups, type Entry, type Group } from './entry.js'
import { everything } from './filter.js'
import { kept } from './log.js'
import { Rows } from './rows.js'
import { Whole } from './whole.js'

/** The number of rendered rows beyond the visible ones, for scrolling. */
const spare = 6

/** The feed of events, the newest first. Only visible rows are rendered. */
export function Feed({ store, show }: { store: WorldStore, show: (key: string) => void }): VNode {
  const list = useRef<HTMLDivElement>(null)
  const [rowHeight, roll] = useRowHeight()
  const [view, see] = useState({ top: 0, height: 600 })
  /** The newest entry that is shown while the list is scrolled; Infinity shows all. */
  const [upTo, stopAt] = useState(Infinity)
  const newer = store.feed.newerThan(upTo)
  const total = store.feed.matching - newer
  const { unfolded, measured, turn } = useUnfolded(() => {
    // An open entry stays in its place, as it does while the list is scrolled.
    stopAt((last) => last === Infinity ? store.feed.newest(0)?.serial ?? Infinity : last)
  })
  const grid = new Rows(total, [...unfolded].map(([serial, height]) => ({ place: store.feed.placeOfSerial(serial, upTo), extra: Math.max(0, height - rowHeight) })), rowHeight)
  const look = (): void => {
    const box = list.current
    if (box === null) return
    see({ top: box.scrollTop, height: box.clientHeight })
    if (box.scrollTop < 4) stopAt(Infinity)
    else stopAt((last) => last === Infinity ? store.feed.newest(0)?.serial ?? Infinity : last)
    // Near the end, the next page is fetched.
    if (box.scrollTop > 4 && box.scrollTop + 2 * box.clientHeight > box.scrollHeight && store.past.peek() === 'more') void store.earlier()
  }
  useEffect(look, [])
  const moment = store.moment.value
  useEffect(() => {
    const box = list.current
    const at = moment === undefined ? -1 : store.feed.placeOf(moment)
    if (box === null || at < 0) return
    box.scrollTop = Math.max(0, grid.topOf(at) + rowHeight / 2 - box.clientHeight / 2)
    look()
  }, [store, moment])
  const marked = moment === undefined ? undefined : store.feed.newest(store.feed.placeOf(moment))?.serial
  const first = Math.max(0, grid.placeAt(view.top) - spare)
  const last = Math.min(total, grid.placeAt(view.top + view.height) + 1 + spare)
  const directory = store.directory.value
  const rows: VNode[] = []
  for (let place = first; place < last; place += 1) {
    const entry = store.feed.newest(place, upTo)
    if (entry !== undefined) rows.push(<EventRow key={entry.serial} entry={entry} there={!entry.key.startsWith('space:') && directory.get(entry.key) !== undefined} place={place} top={grid.topOf(place)} total={total} unfolded={unfolded.has(entry.serial)} turn={turn} measured={measured} show={show} marked={entry.serial === marked} store={store} />)
  }
  return (
    <>
      <Filters store={store} />
      <div class="feedbox" data-version={store.feedVersion.value}>
        {newer > 0 && <button type="button" class="pill" onClick={() => { list.current?.scrollTo({ top: 0 }); list.current?.focus({ preventScroll: true }); stopAt(Infinity) }}>
          {text('feed.new', { count: newer })}
        </button>}
        <div class="feed" {...(total > 0 ? { role: 'feed', tabIndex: 0, 'aria-label': text('feed.title') } as const : {})} ref={list} onScroll={look}>
          {total === 0 && <p class="nothing">{store.feed.size === 0 ? text('feed.none') : store.past.value === 'all' ? text('feed.noneMatch') : text('feed.noneMatchYet', { count: store.feed.size })}</p>}
          <div role="presentation" class="feedroll" ref={roll} style={{ height: `${grid.height}px` }}>{rows}</div>
        </div>
        <Earlier store={store} />
      </div>
    </>
  )
}

interface Unfolding {
  /** The heights of unfolded entries, by their serials; 0 until measured. */
  readonly unfolded: ReadonlyMap<number, number>
  readonly turn: (serial: number) => void
  readonly measured: (serial: number, height: number) => void
}

/** Returns the height of one row in CSS pixels, which depends on the letter size and on the pointer, and the list with that least height. */
function useRowHeight(): [number, RefObject<HTMLDivElement | null>] {
  const roll = useRef<HTMLDivElement>(null)
  const [height, set] = useState(58)
  useLayoutEffect(() => {
    const measure = (): void => { if (roll.current !== null) set(parseFloat(getComputedStyle(roll.current).minHeight)) }
    measure()
    addEventListener('resize', measure)
    return () => { removeEventListener('resize', measure) }
  }, [])
  return [height, roll]
}

/** Keeps the unfolded entries; each stays unfolded wherever the list is scrolled to. */
function useUnfolded(onTurn: () => void): Unfolding {
  const [unfolded, put] = useState<ReadonlyMap<number, number>>(new Map())
  const measured = useCallback((serial: number, height: number) => {
    put((known) => known.has(serial) && known.get(serial) !== height ? new Map(known).set(serial, height) : known)
  }, [])
  const turn = (serial: number): void => {
    put((known) => {
      const after = new Map(known)
      if (!after.delete(serial)) after.set(serial, 0)
      return after
    })
    onTurn()
  }
  return { unfolded, measured, turn }
}

/** Shows whether there are earlier events, and the button for them. */
function Earlier({ store }: { store: WorldStore }): VNode | null {
  const oldest = store.feed.size >= kept ? <p class="soft earlier">{text('feed.oldest', { count: kept })}</p> : null
  switch (store.past.value) {
    case 'reading': return <p class="soft earlier" role="status">{text('feed.reading')}</p>
    case 'failed': return <p class="wrong earlier">{text('feed.failed')} <FleetingButton onClick={() => { void store.earlier() }}>{text('refused.again')}</FleetingButton></p>
    // A full list has no room for earlier events.
    case 'more': return oldest ?? <p class="earlier"><FleetingButton onClick={() => { void store.earlier() }}>{text('feed.earlier')}</FleetingButton></p>
    case 'all': return oldest
  }
}

interface EventRowProps {
  readonly store: WorldStore
  readonly entry: Entry
  readonly there: boolean
  readonly place: number
  /** The position of its top, in CSS pixels. */
  readonly top: number
  readonly total: number
  readonly unfolded: boolean
  readonly turn: Unfolding['turn']
  readonly measured: Unfolding['measured']
  readonly marked: boolean
  readonly show: (key: string) => void
}

function EventRow({ store, entry, there, place, top, total, unfolded, turn, measured, marked, show }: EventRowProps): VNode {
  const box = useRef<HTMLElement>(null)
  const words = useId()
  const { serial, group, event, seq } = entry
  useLayoutEffect(() => {
    const element = box.current
    if (!unfolded || element === null) return undefined
    const sizes = new ResizeObserver(() => { measured(serial, element.offsetHeight) })
    sizes.observe(element)
    return () => { sizes.disconnect() }
  }, [unfolded, serial, measured])
  const name = there
    ? <button type="button" class="link" onClick={() => { show(entry.key) }}><bdi>{entry.name}</bdi></button>
    : <b><bdi>{entry.name}</bdi></b>
  return (
    <article ref={box} class={`event-row ${group}${marked ? ' marked' : ''}${unfolded ? ' unfolded' : ''}`} {...(marked ? { 'aria-current': 'true' as const } : {})} style={{ transform: `translateY(${top}px)` }} data-seq={seq} data-kind={event}
      aria-posinset={place + 1} aria-setsize={total}>
      <p class="head"><Moment store={store} entry={entry} />{' '}
        <span><Sentence of={entry.sentence} values={{ ...entry.values, who: name }} /></span></p>
      {entry.text !== '' && <button type="button" class="said" dir="auto" aria-expanded={unfolded} {...(unfolded ? { 'aria-controls': words } : { title: text('read.open') })} onClick={() => { turn(serial) }}>
        {unfolded ? text('feed.fold') : plainWords(entry.text)}
      </button>}
      {unfolded && <div id={words}><Whole store={store} entry={entry} /></div>}
    </article>
  )
}

/** The time of an entry, which is a link to it. */
function Moment({ store, entry: { seq, at } }: { store: WorldStore, entry: Entry }): VNode {
  const time = <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
  if (seq === undefined) return time
  const mark = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    store.moment.value = seq
  }
  return <a class="moment" title={text('feed.moment')} href={queryOf({ ...addressOf(store), t: seq, sid: store.now.sid })} onClick={mark}>{time}</a>
}

function Filters({ store }: { store: WorldStore }): VNode {
  const filter = store.filter.value
  const { occupants } = store.directory.value
  const words = useRef<HTMLInputElement>(null)
  const agents = useMemo(() => find(occupants, '', locale()), [occupants])
  return (
    <div class="tools filters">
      <select aria-label={text('feed.kind')} value={filter.group} onChange={(event) => { store.refilter({ ...filter, group: event.currentTarget.value as Group | '' }) }}>
        <option value="">{text('feed.anyKind')}</option>
        {groups.map((group) => <option key={group} value={group}>{text(`kind.${group}`)}</option>)}
      </select>
      <select aria-label={text('feed.who')} value={filter.key} onChange={(event) => { store.refilter({ ...filter, key: event.currentTarget.value }) }}>
        <option value="">{text('feed.anyone')}</option>
        {filter.key !== '' && store.directory.value.get(filter.key) === undefined && <option value={filter.key}>{text('feed.left')}</option>}
        {agents.map((row) => <option key={row.key} value={row.key}>{nameOf(row)}</option>)}
      </select>
      <input type="search" ref={words} aria-label={text('feed.text')} placeholder={text('feed.find')} value={filter.text}
        onInput={(event) => { store.refilter({ ...filter, text: event.currentTarget.value }) }} />
      {filter !== everything && <button type="button" class="small" onClick={() => { words.current?.focus(); store.refilter(everything) }}>{text('feed.clear')}</button>}
    </div>
  )
}
