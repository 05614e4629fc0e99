import type { VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Announcer, type Pointed } from '../app/Announcer.js'
import { Sentence } from '../app/Sentence.js'
import { LinkWords } from '../app/Status.js'
import { TownView } from '../app/TownView.js'
import { worldName } from '../app/served.js'
import { useTitle } from '../app/title.js'
import type { Entry } from '../feed/entry.js'
import { needsPerson } from '../feed/filter.js'
import { totalsOf } from '../occupants/order.js'
import { Totals } from '../occupants/Totals.js'
import { plainWords } from '../markdown/plain.js'
import { text } from '../text/text.js'
import { clockTime, dayOf, wallTime } from '../text/times.js'
import type { Town } from '../town/town.js'
import type { WorldStore } from '../world/store.js'
import { Director } from './director.js'
import '../styles/wall.css'

/** How long a line is shown if no other follows, in milliseconds. */
const LINE = 30_000
/** After how many milliseconds without a move the pointer is hidden. */
const POINTER = 3000

/** The town on a wall screen: no controls, a clock, the newest line, and a camera that moves to activity. */
export default function Wall({ store }: { store: WorldStore }): VNode {
  const [town, setTown] = useState<Town | undefined>(undefined)
  const [pointed, point] = useState<Pointed>({ text: '', turn: 0 })
  const announce = useCallback((sentence: string) => { point((last) => ({ text: sentence, turn: last.turn + 1 })) }, [])
  const idle = useIdle()
  useEffect(() => town === undefined ? undefined : direct(store, town), [store, town])
  useTitle(store)
  useEffect(() => {
    const leave = (event: KeyboardEvent): void => { if (event.key === 'Escape') location.assign(location.pathname + withoutView(location.search)) }
    addEventListener('keydown', leave)
    return () => { removeEventListener('keydown', leave) }
  }, [])
  const { state } = store.link.value
  const away = state === 'reconnecting' || state === 'host-gone'
  return (
    <div class={`page wall${away ? ' away' : ''}${idle ? ' idle' : ''}`}>
      <header class="top">
        <div class="sign"><h1><bdi>{worldName()}</bdi></h1><Truth store={store} /><Totals totals={totalsOf(store.directory.value.occupants)} /></div>
        <Clock />
      </header>
      <main class="map" aria-label={text('page.map')}>
        <TownView store={store} onTown={setTown} announce={announce} wall />
        <LatestLine store={store} />
      </main>
      <Announcer store={store} pointed={pointed} />
    </div>
  )
}

/** Moves the camera to activity; returns a function that ends that. */
function direct(store: WorldStore, town: Town): () => void {
  const director = new Director()
  const look = (): void => {
    const keys = director.next(performance.now())
    if (keys !== undefined) town.visit(keys)
  }
  const end = store.listen((event, entry) => {
    const { key } = entry
    if (event.past || (entry.group === 'activity' && (!needsPerson(entry) || entry.renews === true)) || key === '' || store.directory.peek().get(key) === undefined) return
    director.saw(key, performance.now())
    look()
  })
  const timer = setInterval(look, 1000)
  const rest = (): void => { director.rest(performance.now()) }
  const { canvas } = town
  for (const kind of ['pointerdown', 'wheel', 'keydown']) canvas.addEventListener(kind, rest, { passive: true })
  return () => {
    end()
    clearInterval(timer)
    for (const kind of ['pointerdown', 'wheel', 'keydown']) canvas.removeEventListener(kind, rest)
  }
}

/** Whether the shown world is live and verified, or when it last was. */
function Truth({ store }: { store: WorldStore }): VNode {
  const link = store.link.value
  const verification = store.verification.value
  const { at } = store.proved.value
  return (
    <p class="truth" data-connection={link.state}>
      <span class={`lamp ${link.state}`}><LinkWords link={link} /></span>
      {verification === 'mismatch' || store.wentBack.value ? <span class="seal mismatch">{text(verification === 'mismatch' ? 'status.notVerified' : 'status.wentBack')}</span> : at !== undefined && (verification === 'verified' && link.state === 'live'
        ? <span class="seal verified">{text('status.verified')}</span>
        : <span class="soft">{text('status.verifiedAt', { when: clockTime(at) })}</span>)}
    </p>
  )
}

/** The time of day and the day. */
function Clock(): VNode {
  const [now, set] = useState(Date.now())
  useEffect(() => {
    const timer = setTimeout(() => { set(Date.now()) }, 60_000 - Date.now() % 60_000 + 50)
    return () => { clearTimeout(timer) }
  }, [now])
  return <p class="clock"><time dateTime={new Date(now).toISOString()}>{wallTime(now)}</time><span>{dayOf(now)}</span></p>
}

/** The newest line or agent that began to need a person, in large letters. Its space is always reserved, so that the town does not move. */
function LatestLine({ store }: { store: WorldStore }): VNode {
  const [entry, put] = useState<Entry | undefined>(undefined)
  // Listens before the first paint: a line may arrive just then.
  useLayoutEffect(() => store.listen((event, told) => { if (!event.past && ((told.group === 'speech' && told.text !== '') || (needsPerson(told) && told.renews !== true))) put(told) }), [store])
  useEffect(() => {
    const timer = setTimeout(() => { put(undefined) }, LINE)
    return () => { clearTimeout(timer) }
  }, [entry])
  const empty = store.snapshot.value !== undefined && store.directory.value.occupants.length === 0
  return (
    <div class="latest">
      {entry !== undefined ? <p><span>{entry.group === 'activity'
        ? <><Sentence of={entry.sentence} values={{ who: <b>{entry.name}</b> }} />{entry.text !== '' && <>: <bdi>{entry.text}</bdi></>}</>
        : <><b><bdi>{entry.name}</bdi></b> <bdi>{plainWords(entry.text)}</bdi></>}</span></p> : empty && <p>{text('page.empty')}</p>}
    </div>
  )
}

/** Reports whether the pointer has not moved for a while. */
function useIdle(): boolean {
  const [idle, set] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const moved = (): void => {
      clearTimeout(timer)
      set(false)
      timer = setTimeout(() => { set(true) }, POINTER)
    }
    moved()
    addEventListener('pointermove', moved)
    return () => { clearTimeout(timer); removeEventListener('pointermove', moved) }
  }, [])
  return idle
}

function withoutView(search: string): string {
  const query = new URLSearchParams(search)
  query.delete('view')
  return query.size === 0 ? '' : `?${query.toString()}`
}
