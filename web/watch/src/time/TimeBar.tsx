import type { VNode } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { FleetingButton } from '../app/FleetingButton.js'
import { nameOf } from '../app/names.js'
import { number, text } from '../text/text.js'
import { clockTime, wholeTime } from '../text/times.js'
import type { WorldStore } from '../world/store.js'
import { Player, speeds, type Trouble } from './player.js'
import type { Instant } from './source.js'

/** The number of parts of the bar in which events are counted, and its height. */
const columns = 160
const height = 30

interface TimeBarProps {
  readonly store: WorldStore
  /** A recording that was dropped on the page or selected. */
  readonly file: File | undefined
  readonly openFile: (file: File) => void
  readonly close: () => void
}

/** The time bar below the map: dragging it shows the town at that time. */
export default function TimeBar({ store, file, openFile, close }: TimeBarProps): VNode {
  const [player, set] = useState<Player | undefined>(undefined)
  const moment = store.moment.value
  useEffect(() => {
    const made = new Player(store, store.client)
    const offline = store.link.peek().state === 'recording'
    void (offline || file !== undefined ? Promise.resolve() : made.load()).then(() => { set(made) })
    return () => { made.close() }
  }, [store])
  useEffect(() => {
    if (player !== undefined && file !== undefined) void player.open(file, file.name)
  }, [player, file])
  useEffect(() => {
    if (player === undefined || moment === undefined || store.recording.peek() !== undefined || store.time.peek()?.seq === moment) return
    void player.goTo(moment).then((there) => { if (!there && player.trouble.peek() === undefined) store.note.value = 'link.gone' })
  }, [store, player, moment])
  const selected = store.directory.value.get(store.selected.value ?? '')
  return (
    <section class="timebar" tabIndex={-1} aria-label={text('past.bar')} data-place={player?.place.value} data-proved={store.time.value?.proved}>
      {player === undefined || player.reading.value ? <p role="status" class="soft">{text('past.reading')}</p> : <>
        <Track player={player} who={selected?.id} />
        <div class="times">
          <button type="button" class="small" aria-label={text('past.back')} title={text('past.back')} onClick={() => { player.step(-1) }}>◂</button>
          <button type="button" class="small play" aria-label={text(player.playing.value ? 'past.pause' : 'past.play')}
            title={text(player.playing.value ? 'past.pause' : 'past.play')}
            onClick={() => { if (player.playing.value) void player.stay(player.place.peek() ?? 0); else player.play() }}>{player.playing.value ? '❚❚' : '▶'}</button>
          <button type="button" class="small" aria-label={text('past.on')} title={text('past.on')} onClick={() => { player.step(1) }}>▸</button>
          <select aria-label={text('past.speed')} value={player.speed.value} onChange={(event) => { player.speed.value = Number(event.currentTarget.value) }}>
            {speeds.map((speed) => <option key={speed} value={speed}>{text('past.times', { speed: number(speed) })}</option>)}
          </select>
          {selected !== undefined && <span class="of">
            <button type="button" class="small" aria-label={text('past.backOf', { who: nameOf(selected) })} title={text('past.backOf', { who: nameOf(selected) })}
              onClick={() => { player.jump(selected.id, -1) }}>«</button>
            <bdi>{nameOf(selected)}</bdi>
            <button type="button" class="small" aria-label={text('past.onOf', { who: nameOf(selected) })} title={text('past.onOf', { who: nameOf(selected) })}
              onClick={() => { player.jump(selected.id, 1) }}>»</button>
          </span>}
          <Where player={player} />
          <FileButton openFile={openFile} />
          {store.time.value !== undefined && store.link.value.state !== 'recording' &&
            <FleetingButton look="live" title={text('past.liveWhy')} onClick={() => { player.live() }}>{text('past.live')}</FleetingButton>}
          {store.link.value.state !== 'recording' &&
            <button type="button" class="small" aria-label={text('past.close')} title={text('past.close')} onClick={close}>×</button>}
        </div>
      </>}
      {player !== undefined && store.recording.value !== undefined && player.endsAt !== undefined && <p class="soft">{text('past.early', { line: player.endsAt })}</p>}
      {player?.trouble.value !== undefined && <p role="alert" class="wrong">{troubleOf(player.trouble.value)}</p>}
    </section>
  )
}

function troubleOf({ is, why, line }: Trouble): string {
  switch (is) {
    case 'unproved': return text('past.unproved', { why })
    case 'unread': return text('past.failed', { why })
    case 'nothing': return text('past.nothing')
    case 'size': return text('past.tooLarge')
    case 'count': return text('past.tooMany')
    case 'form': return text('past.form', { line })
    case 'changed': return text('past.changed', { line })
    case 'back': return text('past.wentBack', { line })
  }
}

/** The position of the bar, as text. */
function Where({ player }: { player: Player }): VNode {
  const version = player.version.value
  const instants = useMemo(() => player.source.instants, [player.source, version])
  const place = player.place.value
  const instant = place === undefined ? undefined : instants[place]
  const { rev = 0 } = instant ?? {}
  return (
    <span class="where">
      {place === undefined || instant === undefined
        ? text('past.count', { count: instants.length })
        : <><time dateTime={new Date(instant.at).toISOString()}>{wholeTime(instant.at)}</time>{' '}<span class="soft">{text('past.where', { place: place + 1, count: instants.length, rev: String(rev) })}</span></>}
    </span>
  )
}

function FileButton({ openFile }: { openFile: (file: File) => void }): VNode {
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="small file" title={text('past.openWhy')} onClick={() => { field.current?.click() }}>{text('past.open')}</button>
      <input type="file" hidden ref={field} aria-label={text('past.open')} accept=".ndjson,.jsonl,.json,application/x-ndjson"
        onChange={(event) => { const [file] = event.currentTarget.files ?? []; if (file !== undefined) openFile(file); event.currentTarget.value = '' }} />
    </>
  )
}

function Track({ player, who }: { player: Player, who: string | undefined }): VNode {
  const version = player.version.value
  const { instants } = player.source
  const [first, last] = [instants[0]?.at ?? 0, instants.at(-1)?.at ?? 0]
  const all = useMemo(() => density(instants, () => true), [player.source, version])
  const own = useMemo(() => who === undefined ? '' : density(instants, (instant) => instant.who === who), [player.source, version, who])
  const place = player.place.value ?? instants.length - 1
  const at = instants[place]?.at ?? last
  const key = (event: KeyboardEvent): void => {
    const by: Partial<Record<string, number>> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity }
    const step = by[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    void player.stay(place + step)
  }
  return (
    <div class="track">
      <svg class="density" viewBox={`0 0 ${columns} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={all} /><path class="own" d={own} />
      </svg>
      <input type="range" aria-label={text('past.moment')} min={first} max={Math.max(last, first + 1)} step={1} value={at} disabled={instants.length === 0}
        class={player.place.value === undefined ? 'now' : ''}
        aria-valuetext={text('past.valueText', { when: wholeTime(at), place: place + 1, count: instants.length })}
        onKeyDown={key} onInput={(event) => { void player.stay(placeAt(instants, Number(event.currentTarget.value))) }} />
      <span class="soft ends" aria-hidden="true"><span>{first === 0 ? '' : clockTime(first)}</span><span>{last === 0 ? '' : clockTime(last)}</span></span>
    </div>
  )
}

/** Returns the place of the last event up to a time. */
function placeAt(instants: readonly Instant[], at: number): number {
  let [low, high] = [0, instants.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((instants[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

/** Returns the number of events over time as columns; their height is the square root of the count, so that one event is visible beside hundreds. */
function density(instants: readonly Instant[], counts: (instant: Instant) => boolean): string {
  const [first, last] = [instants[0]?.at ?? 0, instants.at(-1)?.at ?? 0]
  const counted = new Array<number>(columns).fill(0)
  const total = new Array<number>(columns).fill(0)
  for (const instant of instants) {
    const column = Math.min(columns - 1, Math.floor(((instant.at - first) / Math.max(1, last - first)) * columns))
    total[column] = (total[column] ?? 0) + 1
    if (counts(instant)) counted[column] = (counted[column] ?? 0) + 1
  }
  const most = Math.sqrt(Math.max(1, ...total))
  return counted.map((count, column) => {
    const high = (Math.sqrt(count) / most) * (height - 2)
    return count === 0 ? '' : `M${column} ${height}v-${high.toFixed(1)}h.8v${high.toFixed(1)}z`
  }).join('')
}
