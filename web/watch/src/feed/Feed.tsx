import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { addressOf, queryOf } from '../app/address.js'
import { nameOf } from '../app/names.js'
import { Sentence } from '../app/Sentence.js'
import { locale, text } from '../text/text.js'
import { clockTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'
import { find } from '../occupants/search.js'
import { groups, type Entry, type Group } from './entry.js'
import { everything } from './filter.js'
import { kept } from './log.js'

/** The height of one row in CSS pixels, as feed.css has it. */
const rowHeight = 58
/** So many rows beyond the visible ones are there, for scrolling. */
const spare = 6

/** What happens, the newest first. Only the rows that are seen are made. */
export function Feed({ store, show }: { store: WorldStore, show: (key: string) => void }): VNode {
  const list = useRef<HTMLDivElement>(null)
  const [view, see] = useState({ top: 0, height: 600 })
  /** The newest happening that is shown while the list is scrolled; Infinity shows all. */
  const [upTo, stopAt] = useState(Infinity)
  const newer = store.feed.newerThan(upTo)
  const total = store.feed.matching - newer
  const look = (): void => {
    const box = list.current
    if (box === null) return
    see({ top: box.scrollTop, height: box.clientHeight })
    if (box.scrollTop < 4) stopAt(Infinity)
    else stopAt((last) => last === Infinity ? store.feed.newest(0)?.serial ?? Infinity : last)
    // Near the end, the next page is read.
    if (box.scrollTop > 4 && box.scrollTop + 2 * box.clientHeight > box.scrollHeight && store.past.peek() === 'more') void store.earlier()
  }
  useEffect(look, [])
  const moment = store.moment.value
  useEffect(() => {
    const box = list.current
    const at = moment === undefined ? -1 : store.feed.placeOf(moment)
    if (box === null || at < 0) return
    box.scrollTop = Math.max(0, (at + 0.5) * rowHeight - box.clientHeight / 2)
    look()
  }, [store, moment])
  const marked = moment === undefined ? undefined : store.feed.newest(store.feed.placeOf(moment))?.serial
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare)
  const last = Math.min(total, Math.ceil((view.top + view.height) / rowHeight) + spare)
  const directory = store.directory.value
  const rows: VNode[] = []
  for (let place = first; place < last; place += 1) {
    const entry = store.feed.newest(place, upTo)
    if (entry !== undefined) rows.push(<Happening key={entry.serial} entry={entry} there={!entry.key.startsWith('space:') && directory.get(entry.key) !== undefined} place={place} total={total} show={show} marked={entry.serial === marked} store={store} />)
  }
  return (
    <>
      <Filters store={store} />
      <div class="feedbox" data-version={store.feedVersion.value}>
        {newer > 0 && <button type="button" class="pill" onClick={() => { list.current?.scrollTo({ top: 0 }); list.current?.focus({ preventScroll: true }); stopAt(Infinity) }}>
          {text('feed.new', { count: newer })}
        </button>}
        <div class="feed" {...(total > 0 ? { role: 'feed', tabIndex: 0, 'aria-label': text('feed.title') } as const : {})} ref={list} onScroll={look}>
          {total === 0 && <p class="nothing">{text(store.feed.size === 0 ? 'feed.none' : 'feed.noneMatch')}</p>}
          <div role="presentation" class="feedroll" style={{ height: `${total * rowHeight}px` }}>{rows}</div>
        </div>
        <Earlier store={store} />
      </div>
    </>
  )
}

/** Whether there is more of the past, and the way to it. */
function Earlier({ store }: { store: WorldStore }): VNode | null {
  switch (store.past.value) {
    case 'reading': return <p class="soft earlier" role="status">{text('feed.reading')}</p>
    case 'failed': return <p class="wrong earlier">{text('feed.failed')} <FleetingButton onClick={() => { void store.earlier() }}>{text('refused.again')}</FleetingButton></p>
    case 'more': return <p class="earlier"><FleetingButton onClick={() => { void store.earlier() }}>{text('feed.earlier')}</FleetingButton></p>
    case 'all': return store.feed.size >= kept ? <p class="soft earlier">{text('feed.oldest', { count: kept })}</p> : null
  }
}

interface HappeningProps {
  readonly store: WorldStore
  readonly entry: Entry
  readonly there: boolean
  readonly place: number
  readonly total: number
  readonly marked: boolean
  readonly show: (key: string) => void
}

function Happening({ store, entry, there, place, total, marked, show }: HappeningProps): VNode {
  const name = there
    ? <button type="button" class="link" onClick={() => { show(entry.key) }}><bdi>{entry.name}</bdi></button>
    : <b><bdi>{entry.name}</bdi></b>
  return (
    <article class={`happening ${entry.group}${marked ? ' marked' : ''}`} {...(marked ? { 'aria-current': 'true' as const } : {})} style={{ transform: `translateY(${place * rowHeight}px)` }} data-seq={entry.seq} data-kind={entry.event}
      aria-posinset={place + 1} aria-setsize={total}>
      <p class="head"><Moment store={store} entry={entry} />{' '}
        <span><Sentence of={entry.sentence} values={{ ...entry.values, who: name }} /></span></p>
      {entry.text !== '' && <button type="button" class="said" dir="auto" title={text('read.open')} onClick={() => { store.read.value = entry }}>{entry.text}</button>}
    </article>
  )
}

/** The time of a happening, which is a link to it. */
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
