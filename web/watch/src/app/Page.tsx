import type { VNode } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { framed } from '../access/access.js'
import { Reader } from '../feed/Reader.js'
import { Feed } from '../feed/Feed.js'
import { Places } from '../occupants/Places.js'
import { Notify, useNotifier } from '../notify/Notify.js'
import { Residents } from '../occupants/Residents.js'
import { Panel } from '../panel/Panel.js'
import { text } from '../text/text.js'
import type { Town } from '../town/town.js'
import type { WorldStore } from '../world/store.js'
import { keepAddress, tabNames } from './address.js'
import { usePast } from './Past.js'
import { useWalkIn } from './WalkIn.js'
import { Grip } from './Grip.js'
import { Announcer, type Pointed } from './Announcer.js'
import { Status } from './Status.js'
import { Share } from './Share.js'
import { worldName } from './served.js'
import { useTitle } from './title.js'
import { Tabs } from './Tabs.js'
import { Ticker } from './Ticker.js'
import { TownView } from './TownView.js'
import { Zoom } from './Zoom.js'

/** The whole page: the town, surrounded by the lists of residents and events and by the panel. */
export function Page({ store }: { store: WorldStore }): VNode {
  const [town, setTown] = useState<Town | undefined>(undefined)
  const tab = store.tab.value
  const hidden = store.bare.value
  const [linked, link] = useState<string | undefined>(undefined)
  const [pointed, point] = useState<Pointed>({ text: '', turn: 0 })
  const announce = useCallback((sentence: string) => { point((last) => ({ text: sentence, turn: last.turn + 1 })) }, [])
  const selected = store.selected.value
  const show = useCallback((key: string) => { store.select(key); town?.focus(key) }, [store, town])
  const hide = useCallback(() => { store.bare.value = true }, [store])
  useTitle(store)
  useEffect(() => keepAddress(store, link), [store])
  useEffect(() => { if (linked !== undefined) town?.focus(linked) }, [town, linked])
  const past = usePast(store)
  const walkIn = useWalkIn(store, town, announce)
  const notifier = useNotifier(store)
  const { state } = store.link.value
  const away = state === 'reconnecting' || state === 'host-gone'
  useBrowser(store)
  return (
    <div class={`page${hidden ? ' bare' : ''}${selected === undefined ? '' : ' chosen'}${away ? ' away' : ''}${store.time.value === undefined ? '' : ' then'}${past.bar === undefined ? '' : ' timed'}`}>
      {!hidden && <a class="skip" href="#register" onClick={skip}>{text('page.skip')}</a>}
      <header class="top">
        <h1><bdi>{worldName()}</bdi></h1>
        <button type="button" class="small" onClick={() => { store.bare.value = !hidden }}>
          {text(hidden ? 'page.show' : 'page.hide')}
        </button>
        <Share store={store} />
        {past.button}
        {walkIn.button}
        {state !== 'recording' && !framed && <Notify store={store} notifier={notifier} />}
        <Status store={store} />
      </header>
      <main class="map" aria-label={text('page.map')}>
        <TownView store={store} onTown={setTown} announce={announce} />
        <Zoom town={town} /><Ticker store={store} />
      </main>
      {past.bar}
      {walkIn.figure}
      {!hidden && <section class="register" id="register" tabIndex={-1} aria-label={text('page.world')}>
        <Grip of="--dragged" close={hide} />
        <Tabs label={text('page.world')} names={tabNames} shown={tab} word={(name) => text(`tab.${name}`)} id="tab" controls={`panel-${tab}`} choose={(name) => { store.turn(name) }} />
        {store.note.value !== undefined && <p class="note" role="status">{text(store.note.value)}</p>}
        <div role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} class="tabpanel">
          {tab === 'residents' && <Residents store={store} show={show} />}
          {tab === 'places' && <Places store={store} show={show} />}
          {tab === 'happenings' && <Feed store={store} show={show} />}
        </div>
      </section>}
      {selected !== undefined && <Panel key={selected} store={store} thingKey={selected} notifier={notifier} town={town} show={show} />}
      {store.read.value !== undefined && <Reader key={store.read.value.serial} store={store} entry={store.read.value} />}
      <Announcer store={store} pointed={pointed} />
    </div>
  )
}

/**
 * Moves to the list without a fragment in the address: when Back leads to an entry with
 * a fragment, as when a panel closes, a browser moves the focus to its target.
 */
function skip(event: MouseEvent): void {
  event.preventDefault()
  document.getElementById('register')?.focus()
}

/** Handles the browser's network events, and the keys of the whole page. */
function useBrowser(store: WorldStore): void {
  useEffect(() => {
    const retry = (): void => { store.retry() }
    // Only a new connection shows whether the host can still be reached.
    const lost = (): void => { store.retry(true) }
    const close = (event: KeyboardEvent): void => { keyed(store, event) }
    addEventListener('online', retry)
    addEventListener('offline', lost)
    addEventListener('keydown', close)
    return () => { removeEventListener('online', retry); removeEventListener('offline', lost); removeEventListener('keydown', close) }
  }, [store])
}

/** Escape closes the panel; F makes the camera follow the selected occupant. */
function keyed(store: WorldStore, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const key = store.selected.peek()
  const writing = event.target instanceof Element && event.target.closest('input, textarea, select') !== null
  if (event.key === 'Escape') store.select(undefined)
  if ((event.key === 'f' || event.key === 'F') && key !== undefined && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) store.follow(key)
}
